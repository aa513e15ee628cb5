#!/usr/bin/env python3
"""Measures a network as TCP sees it: GB/s in both directions at a time, and the microseconds of a short message.

usage: link_speed.py serve ADDRESS PORT | link_speed.py ask ADDRESS PORT
The second prints both numbers.
"""
import socket
import statistics
import sys
import threading
import time

TRIPS = 200
BLOCK = bytes(1 << 18)
SECONDS = 3


def connection(role, address):
    if role == "serve":
        return socket.create_server(address).accept()[0]
    for _ in range(100):
        try:
            return socket.create_connection(address)
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"expected somebody who serves at {address[0]}:{address[1]}, found nobody")


def trips(link, first):
    """Seconds of each message to the other and back."""
    took = []
    for _ in range(TRIPS):
        begin = time.perf_counter()
        if first:
            link.sendall(b"x")
        link.recv(1)
        if not first:
            link.sendall(b"x")
        took.append(time.perf_counter() - begin)
    return took


def stream(link):
    """Bytes received a second while both send as fast as they can."""
    end = time.perf_counter() + SECONDS

    def send():
        while time.perf_counter() < end:
            link.sendall(BLOCK)
        link.shutdown(socket.SHUT_WR)

    sender = threading.Thread(target=send)
    sender.start()
    begin, received, buffer = time.perf_counter(), 0, bytearray(len(BLOCK))
    while count := link.recv_into(buffer):
        received += count
    took = time.perf_counter() - begin
    sender.join()
    return received / took


def main():
    role, address, port = sys.argv[1:4]
    with connection(role, (address, int(port))) as link:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        latency = statistics.median(trips(link, first=role == "ask")) / 2
        bandwidth = stream(link)
    if role == "ask":
        print(f"{bandwidth / 1e9:.4f} {latency * 1e6:.1f}")


main()
