# Debian packages, for the script `dev`, which sources this: install_packages PACKAGE… installs those that are missing.
# Who is neither root nor may sudo gets them unpacked into .deps/system, compiler and all, without any installation.

readonly unpacked=$PWD/.deps/system machine=$(uname -m)-linux-gnu

missing_packages() {
  local package
  for package in "$@"; do
    # Ask for each alone: dpkg-query fails for a whole list if it does not know one.
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "no apt here; these packages of Debian, by whatever name, are needed: $*"
    return
  fi
  local missing root=()
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    if ! sudo -n true 2>/dev/null; then
      unpack_packages "${missing[@]}"
      return
    fi
    root=(sudo -n)
  fi
  say "installing ${missing[*]}"
  "${root[@]}" apt-get -qq -o DPkg::Lock::Timeout=300 update
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 install -y \
    --no-install-recommends "${missing[@]}" >&2 </dev/null
}

# unpack_packages PACKAGE…  with all that they need and the system lacks. A system without a compiler gets one that sees
# nothing but what is unpacked, the C library's files included; they must be those that the system runs.
unpack_packages() {
  local apt=$PWD/.deps/apt status=/var/lib/dpkg/status options package needed library name
  say "installing needs root: unpacking into .deps/system what is missing of $*"
  mkdir -p "$apt"/{lists,cache,new} "$unpacked"
  : >"$apt/nothing-installed"
  command -v g++ >/dev/null && [ ! -e "$unpacked/usr/bin/g++" ] || status=$apt/nothing-installed
  options=(-qq -o "Dir::State=$apt" -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o Debug::NoLocking=1
    -o APT::Sandbox::User= -o "Dir::State::status=$status")
  apt-get "${options[@]}" update
  mapfile -t needed < <(apt-get "${options[@]}" --no-install-recommends -s install "$@" | sed -n 's/^Inst \([^ ]*\).*/\1/p')
  [ ${#needed[@]} -gt 0 ] || stop "apt-get finds no way to install $*"
  (cd "$apt/new" && apt-get "${options[@]}" download "${needed[@]}")
  for package in "$apt"/new/*.deb; do
    dpkg-deb -x "$package" "$unpacked"
    rm "$package"
  done
  # Libraries in /lib, too, except those of the system: its loader and another C library would not agree.
  for library in "$unpacked/lib/$machine"/*.so.*; do
    name=${library##*/}
    [ -e "/lib/$machine/$name" ] || [ -e "$unpacked/usr/lib/$machine/$name" ] ||
      ln -s "../../../lib/$machine/$name" "$unpacked/usr/lib/$machine/$name"
  done
  use_unpacked_packages
}

# Lets programs, compilers and CMake find what is unpacked, if anything is. Sets $unpacked_options for CMake.
use_unpacked_packages() {
  unpacked_options=()
  [ -d "$unpacked/usr" ] || return 0
  local libraries=$unpacked/usr/lib/$machine certificates=$unpacked/certificates.pem
  case :$PATH: in *:"$unpacked/usr/bin":*) ;; *)
    export PATH=$PATH:$unpacked/usr/bin LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$libraries ;;
  esac
  # Of the old kind, which also serves the libraries of libraries.
  unpacked_options=(-D "CMAKE_PREFIX_PATH=$unpacked/usr"
    -D "CMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags,-rpath,$libraries,-rpath-link,$unpacked/lib/$machine")
  # The programs that `update-alternatives` would have named.
  [ ! -e "$unpacked/usr/bin/g++" ] || unpacked_options+=(-D "CMAKE_SYSROOT=$unpacked" -D CMAKE_CXX_COMPILER=g++)
  if [ ! -e /etc/ssl/certs/ca-certificates.crt ] && [ -d "$unpacked/usr/share/ca-certificates" ]; then
    [ -e "$certificates" ] || cat "$unpacked"/usr/share/ca-certificates/mozilla/*.crt >"$certificates"
    export PIP_CERT=$certificates SSL_CERT_FILE=$certificates
  fi
}
use_unpacked_packages
