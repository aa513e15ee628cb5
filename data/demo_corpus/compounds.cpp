// The parts of compounds.
#include "data/demo_corpus/lexicon.h"

namespace transformer::demo {

// Each paragraph: the first parts "english=German form", a colon, the heads. Every first part goes with every
// head, and the gender is the head's.
std::string_view compound_table() {
  return R"(
kitchen=Küchen garden=Garten school=Schul church=Kirchen hotel=Hotel office=Büro station=Bahnhofs castle=Schloss
cellar=Keller house=Haus museum=Museums theatre=Theater library=Bibliotheks hospital=Krankenhaus village=Dorf
town=Stadt factory=Fabrik restaurant=Restaurant workshop=Werkstatt tower=Turm mill=Mühlen palace=Palast :
door window wall key lamp clock roof table chair bench staircase gate picture entrance bell

winter=Winter summer=Sommer autumn=Herbst evening=Abend Christmas=Weihnachts birthday=Geburtstags
wedding=Hochzeits holiday=Ferien carnival=Karnevals family=Familien :
dress party song concert journey festival story gift suit game

apple=Apfel cherry=Kirsch plum=Pflaumen strawberry=Erdbeer lemon=Zitronen pear=Birnen nut=Nuss
chocolate=Schokoladen almond=Mandel honey=Honig banana=Bananen : cake tart biscuit pancake

potato=Kartoffel onion=Zwiebel tomato=Tomaten pumpkin=Kürbis bean=Bohnen mushroom=Pilz fish=Fisch
vegetable=Gemüse cheese=Käse garlic=Knoblauch : soup salad sauce dumpling

apple=Apfel cherry=Kirsch plum=Pflaumen lemon=Zitronen pear=Birnen almond=Mandel peach=Pfirsich : tree

history=Geschichts music=Musik mathematics=Mathematik art=Kunst sports=Sport language=Sprach
chemistry=Chemie physics=Physik biology=Biologie geography=Geografie Latin=Latein dance=Tanz
philosophy=Philosophie : teacher book lesson exam notebook lecture course

bus=Bus train=Zug taxi=Taxi truck=Lastwagen tram=Straßenbahn : driver journey door window

dog=Hunde cat=Katzen horse=Pferde bird=Vogel lion=Löwen tiger=Tiger monkey=Affen elephant=Elefanten
bear=Bären wolf=Wolfs : picture story book owner costume

leather=Leder wool=Woll silk=Seiden cotton=Baumwoll straw=Stroh fur=Pelz velvet=Samt linen=Leinen :
coat jacket hat cap belt shoe bag glove skirt slipper

silver=Silber gold=Gold iron=Eisen copper=Kupfer glass=Glas porcelain=Porzellan stone=Stein marble=Marmor
bronze=Bronze plastic=Plastik steel=Stahl : cup plate vase bowl statue box pot bucket lamp ring
)";
}

}  // namespace transformer::demo
