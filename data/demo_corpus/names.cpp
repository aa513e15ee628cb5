// Names, which both languages write alike. None ends in s, x or z, so that the German genitive is always an
// s. Surnames and towns are put together from a start and an end: far more than training ever sees.
#include "data/demo_corpus/lexicon.h"

namespace transformer::demo {

std::string_view first_name_table() {
  return R"(
Anna Emma Clara Lena Marie Sofia Laura Julia Katrin Helga Ingrid Ursula Petra Sabine Monika Renate Karin Silke
Anja Tanja Nadine Daniela Claudia Susanne Barbara Christina Johanna Charlotte Mathilda Frieda Greta Paula Ida Ella
Mia Hannah Leonie Theresa Magdalena Elisabeth Martha Rosa Luise Antonia Franziska Veronika Eva Nora Olga Wanda
Peter Paul Karl Otto Martin Stefan Michael Wolfgang Jürgen Dieter Werner Helmut Gerhard Walter
Heinrich Friedrich Wilhelm Ludwig Georg Ernst Hermann Robert Albert Oskar Emil Anton Jakob Simon Daniel David
Jonathan Leon Finn Konrad Rudolf Gustav Arthur Alfred Erik Henrik Oliver Florian Sebastian Christian Tobi
Dominik Patrick Kevin Marvin Julian Fabian Benjamin Gabriel Raphael Valentin Theodor Viktor Bruno Hugo
)";
}

std::string_view surname_table() {
  return R"(
Berg Wald Stein Brun Lind Kell Hart Gold Silber Neu Alt Roth Weiss Schwarz Grün Winter Sommer Feld Bach Mühl Buch
Birk Esch Tann Horn Adler Falk Wolf Rab Fink Kron Land Ober Nieder Hoch Lang Kurz Klein Gross Ried Moor Sand Salz
Korn Brand Eis Kalt Warm Licht Mond Stern Hagel Donner Regen Winden Acker Garten Kirch Markt Hammer
:
mann hofer berger meier bauer huber ler ner er ström rich hart wald bach feld horn inger ert old brecht
)";
}

std::string_view town_table() {
  return R"(
Hasel Linden Eichen Ahorn Tannen Erlen Rosen Blumen Wiesen Wald Berg Tal Bach See Moor Sand Stein Salz Silber
Gold Eisen Kupfer Adler Falken Wolfs Bären Hirsch Fuchs Schwanen Enten König Kaiser Herzog Grafen Ritter Mönch
Nonnen Bischof Ober Unter Nieder Hohen Neu Alt Groß Klein Lang Breiten Schön Kalten Warm Sonnen Mond Sternen
:
feld dorf stadt burg berg bach tal hausen heim hofen kirchen brück au furt ried mühl born roda stein wald
)";
}

}  // namespace transformer::demo
