// The nouns. A line "class:" opens a class; then English[/plural] German gender plural [~] [feminine].
// An underscore stands for a space, "~" marks the weak declension. Nouns of the class "role" are persons with
// a derived feminine in -in, given in the last column where the stem changes.
#include "data/lexicon.h"

namespace transformer::demo {

std::string_view noun_table() {
  return R"(
role:
teacher Lehrer m Lehrer
student Student m Studenten ~
pupil Schüler m Schüler
doctor Arzt m Ärzte Ärztin
baker Bäcker m Bäcker
butcher Metzger m Metzger
gardener Gärtner m Gärtner
painter Maler m Maler
singer Sänger m Sänger
dancer Tänzer m Tänzer
writer Schriftsteller m Schriftsteller
poet Dichter m Dichter
driver Fahrer m Fahrer
pilot Pilot m Piloten ~
farmer Bauer m Bauern ~ Bäuerin
hunter Jäger m Jäger
tailor Schneider m Schneider
carpenter Tischler m Tischler
engineer Ingenieur m Ingenieure
scientist Wissenschaftler m Wissenschaftler
researcher Forscher m Forscher
lawyer Anwalt m Anwälte Anwältin
judge Richter m Richter
journalist Journalist m Journalisten ~
photographer Fotograf m Fotografen ~
musician Musiker m Musiker
artist Künstler m Künstler
architect Architekt m Architekten ~
pharmacist Apotheker m Apotheker
librarian Bibliothekar m Bibliothekare
mechanic Mechaniker m Mechaniker
tourist Tourist m Touristen ~
neighbour Nachbar m Nachbarn ~
colleague Kollege m Kollegen ~ Kollegin
friend Freund m Freunde
boss/bosses Chef m Chefs
customer Kunde m Kunden ~ Kundin
politician Politiker m Politiker
minister Minister m Minister
president Präsident m Präsidenten ~
mayor Bürgermeister m Bürgermeister
police_officer Polizist m Polizisten ~
sailor Matrose m Matrosen ~ Matrosin
soldier Soldat m Soldaten ~
translator Übersetzer m Übersetzer
shop_assistant Verkäufer m Verkäufer
reader Leser m Leser
visitor Besucher m Besucher
owner Besitzer m Besitzer
inventor Erfinder m Erfinder
swimmer Schwimmer m Schwimmer
player Spieler m Spieler
chef Koch m Köche Köchin
winner Gewinner m Gewinner
runner Läufer m Läufer
watchmaker Uhrmacher m Uhrmacher
shoemaker Schuhmacher m Schuhmacher
bookseller Buchhändler m Buchhändler
hairdresser Friseur m Friseure
electrician Elektriker m Elektriker
chemist Chemiker m Chemiker
physicist Physiker m Physiker
historian Historiker m Historiker
mathematician Mathematiker m Mathematiker
programmer Programmierer m Programmierer
witness/witnesses Zeuge m Zeugen ~ Zeugin
expert Experte m Experten ~ Expertin
assistant Assistent m Assistenten ~
conductor Dirigent m Dirigenten ~
composer Komponist m Komponisten ~
pianist Pianist m Pianisten ~
violinist Geiger m Geiger
coach Trainer m Trainer
person:
man/men Mann m Männer
woman/women Frau f Frauen
child/children Kind n Kinder
boy Junge m Jungen ~
girl Mädchen n Mädchen
mother Mutter f Mütter
father Vater m Väter
brother Bruder m Brüder
sister Schwester f Schwestern
son Sohn m Söhne
daughter Tochter f Töchter
grandmother Großmutter f Großmütter
grandfather Großvater m Großväter
uncle Onkel m Onkel
aunt Tante f Tanten
baby Baby n Babys
guest Gast m Gäste
king König m Könige
queen Königin f Königinnen
prince Prinz m Prinzen ~
princess/princesses Prinzessin f Prinzessinnen
actor Schauspieler m Schauspieler
actress/actresses Schauspielerin f Schauspielerinnen
waiter Kellner m Kellner
waitress/waitresses Kellnerin f Kellnerinnen
nurse Krankenschwester f Krankenschwestern
monk Mönch m Mönche
nun Nonne f Nonnen
twin Zwilling m Zwillinge
nephew Neffe m Neffen ~
niece Nichte f Nichten
grandson Enkel m Enkel
granddaughter Enkelin f Enkelinnen
widow Witwe f Witwen
wizard Zauberer m Zauberer
fairy Fee f Feen
giant Riese m Riesen ~
dwarf/dwarfs Zwerg m Zwerge
knight Ritter m Ritter
hero/heroes Held m Helden ~
animal:
dog Hund m Hunde
cat Katze f Katzen
horse Pferd n Pferde
cow Kuh f Kühe
pig Schwein n Schweine
goat Ziege f Ziegen
bird Vogel m Vögel
mouse/mice Maus f Mäuse
rabbit Kaninchen n Kaninchen
hare Hase m Hasen ~
fox Fuchs m Füchse
wolf/wolves Wolf m Wölfe
bear Bär m Bären ~
lion Löwe m Löwen ~
tiger Tiger m Tiger
monkey Affe m Affen ~
elephant Elefant m Elefanten ~
donkey Esel m Esel
duck Ente f Enten
goose/geese Gans f Gänse
hen Henne f Hennen
swan Schwan m Schwäne
owl Eule f Eulen
eagle Adler m Adler
frog Frosch m Frösche
snake Schlange f Schlangen
spider Spinne f Spinnen
bee Biene f Bienen
butterfly Schmetterling m Schmetterlinge
snail Schnecke f Schnecken
hedgehog Igel m Igel
squirrel Eichhörnchen n Eichhörnchen
parrot Papagei m Papageien
turtle Schildkröte f Schildkröten
camel Kamel n Kamele
giraffe Giraffe f Giraffen
zebra Zebra n Zebras
penguin Pinguin m Pinguine
seal Robbe f Robben
whale Wal m Wale
dolphin Delfin m Delfine
crocodile Krokodil n Krokodile
kangaroo Känguru n Kängurus
beetle Käfer m Käfer
ant Ameise f Ameisen
crow Krähe f Krähen
stork Storch m Störche
pigeon Taube f Tauben
raven Rabe m Raben ~
lamb Lamm n Lämmer
calf/calves Kalb n Kälber
foal Fohlen n Fohlen
puppy Welpe m Welpen ~
kitten Kätzchen n Kätzchen
fruit:
apple Apfel m Äpfel
pear Birne f Birnen
cherry Kirsche f Kirschen
plum Pflaume f Pflaumen
banana Banane f Bananen
lemon Zitrone f Zitronen
strawberry Erdbeere f Erdbeeren
raspberry Himbeere f Himbeeren
peach Pfirsich m Pfirsiche
grape Traube f Trauben
melon Melone f Melonen
potato/potatoes Kartoffel f Kartoffeln
tomato/tomatoes Tomate f Tomaten
onion Zwiebel f Zwiebeln
carrot Karotte f Karotten
cucumber Gurke f Gurken
pumpkin Kürbis m Kürbisse
bean Bohne f Bohnen
nut Nuss f Nüsse
walnut Walnuss f Walnüsse
almond Mandel f Mandeln
pastry:
cake Kuchen m Kuchen
biscuit Keks m Kekse
roll Brötchen n Brötchen
pancake Pfannkuchen m Pfannkuchen
tart Torte f Torten
pizza Pizza f Pizzas
food:
egg Ei n Eier
sausage Wurst f Würste
soup Suppe f Suppen
salad Salat m Salate
sauce Soße f Soßen
dumpling Knödel m Knödel
mushroom Pilz m Pilze
mass:
bread Brot n -
butter Butter f -
cheese Käse m -
meat Fleisch n -
rice Reis m -
honey Honig m -
sugar Zucker m -
salt Salz n -
flour Mehl n -
chocolate Schokolade f -
jam Marmelade f -
ham Schinken m -
bacon Speck m -
spinach Spinat m -
cabbage Kohl m -
garlic Knoblauch m -
mustard Senf m -
yoghurt Joghurt m -
cream Sahne f -
drink:
coffee Kaffee m -
tea Tee m -
milk Milch f -
water Wasser n -
wine Wein m -
beer Bier n -
juice Saft m -
lemonade Limonade f -
cocoa Kakao m -
clothing:
coat Mantel m Mäntel
jacket Jacke f Jacken
shirt Hemd n Hemden
blouse Bluse f Blusen
dress/dresses Kleid n Kleider
skirt Rock m Röcke
hat Hut m Hüte
cap Mütze f Mützen
scarf/scarves Schal m Schals
glove Handschuh m Handschuhe
shoe Schuh m Schuhe
boot Stiefel m Stiefel
sock Socke f Socken
belt Gürtel m Gürtel
tie Krawatte f Krawatten
pullover Pullover m Pullover
suit Anzug m Anzüge
waistcoat Weste f Westen
ring Ring m Ringe
necklace Halskette f Halsketten
bracelet Armband n Armbänder
sandal Sandale f Sandalen
apron Schürze f Schürzen
veil Schleier m Schleier
crown Krone f Kronen
uniform Uniform f Uniformen
costume Kostüm n Kostüme
slipper Hausschuh m Hausschuhe
furniture:
table Tisch m Tische
chair Stuhl m Stühle
bed Bett n Betten
cupboard Schrank m Schränke
shelf/shelves Regal n Regale
sofa Sofa n Sofas
armchair Sessel m Sessel
stool Hocker m Hocker
desk Schreibtisch m Schreibtische
bench Bank f Bänke
carpet Teppich m Teppiche
)";
}

}  // namespace transformer::demo
