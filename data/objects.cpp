// The nouns again: things, places and ideas, in the columns of nouns.cpp; and the parts of compounds.
#include "data/lexicon.h"

namespace transformer::demo {

std::string_view object_table() {
  return R"(
object:
pillow Kissen n Kissen
blanket Decke f Decken
mirror Spiegel m Spiegel
curtain Vorhang m Vorhänge
vase Vase f Vasen
glass/glasses Glas n Gläser
cup Tasse f Tassen
plate Teller m Teller
bowl Schüssel f Schüsseln
spoon Löffel m Löffel
fork Gabel f Gabeln
knife/knives Messer n Messer
pot Topf m Töpfe
pan Pfanne f Pfannen
basket Korb m Körbe
bucket Eimer m Eimer
barrel Fass n Fässer
key Schlüssel m Schlüssel
umbrella Regenschirm m Regenschirme
candle Kerze f Kerzen
brush Bürste f Bürsten
comb Kamm m Kämme
picture Bild n Bilder
toy Spielzeug n Spielzeuge
doll Puppe f Puppen
ball Ball m Bälle
coin Münze f Münzen
backpack Rucksack m Rucksäcke
stone Stein m Steine
shell Muschel f Muscheln
flag Fahne f Fahnen
bell Glocke f Glocken
rope Seil n Seile
ladder Leiter f Leitern
needle Nadel f Nadeln
button Knopf m Knöpfe
hammer Hammer m Hämmer
axe Axt f Äxte
shovel Schaufel f Schaufeln
broom Besen m Besen
net Netz n Netze
gift Geschenk n Geschenke
statue Statue f Statuen
treasure Schatz m Schätze
pencil Bleistift m Bleistifte
violin Geige f Geigen
drum Trommel f Trommeln
flute Flöte f Flöten
opening:
door Tür f Türen
window Fenster n Fenster
gate Tor n Tore
box/boxes Kiste f Kisten
suitcase Koffer m Koffer
bottle Flasche f Flaschen
bag Tasche f Taschen
drawer Schublade f Schubladen
chest Truhe f Truhen
part:
wall Wand f Wände
roof/roofs Dach n Dächer
floor Boden m Böden
staircase Treppe f Treppen
entrance Eingang m Eingänge
balcony Balkon m Balkons
terrace Terrasse f Terrassen
chimney Schornstein m Schornsteine
device:
lamp Lampe f Lampen
computer Computer m Computer
television Fernseher m Fernseher
radio Radio n Radios
oven Ofen m Öfen
heater Heizung f Heizungen
telephone Telefon n Telefone
camera Kamera f Kameras
machine Maschine f Maschinen
engine Motor m Motoren
refrigerator Kühlschrank m Kühlschränke
printer Drucker m Drucker
clock Uhr f Uhren
screen Bildschirm m Bildschirme
text:
book Buch n Bücher
letter Brief m Briefe
newspaper Zeitung f Zeitungen
novel Roman m Romane
poem Gedicht n Gedichte
story Geschichte f Geschichten
article Artikel m Artikel
postcard Postkarte f Postkarten
diary Tagebuch n Tagebücher
dictionary Wörterbuch n Wörterbücher
song Lied n Lieder
magazine Zeitschrift f Zeitschriften
document Dokument n Dokumente
contract Vertrag m Verträge
recipe Rezept n Rezepte
message Nachricht f Nachrichten
list Liste f Listen
invitation Einladung f Einladungen
sentence Satz m Sätze
essay Aufsatz m Aufsätze
notebook Heft n Hefte
map Landkarte f Landkarten
building:
house Haus n Häuser
school Schule f Schulen
church Kirche f Kirchen
hospital Krankenhaus n Krankenhäuser
library Bibliothek f Bibliotheken
museum Museum n Museen
hotel Hotel n Hotels
restaurant Restaurant n Restaurants
theatre Theater n Theater
cinema Kino n Kinos
castle Schloss n Schlösser
tower Turm m Türme
shop Laden m Läden
bakery Bäckerei f Bäckereien
factory Fabrik f Fabriken
office Büro n Büros
station Bahnhof m Bahnhöfe
barn Scheune f Scheunen
stable Stall m Ställe
garage Garage f Garagen
mill Mühle f Mühlen
palace Palast m Paläste
hut Hütte f Hütten
café Café n Cafés
university Universität f Universitäten
pharmacy Apotheke f Apotheken
villa Villa f Villen
monastery Kloster n Klöster
temple Tempel m Tempel
workshop Werkstatt f Werkstätten
gallery Galerie f Galerien
flat Wohnung f Wohnungen
room:
kitchen Küche f Küchen
bedroom Schlafzimmer n Schlafzimmer
bathroom Badezimmer n Badezimmer
cellar Keller m Keller
attic Dachboden m Dachböden
hall Halle f Hallen
room Zimmer n Zimmer
classroom Klassenzimmer n Klassenzimmer
nature:
garden Garten m Gärten
forest Wald m Wälder
park Park m Parks
meadow Wiese f Wiesen
valley Tal n Täler
village Dorf n Dörfer
town Stadt f Städte
courtyard Hof m Höfe
cave Höhle f Höhlen
desert Wüste f Wüsten
harbour Hafen m Häfen
vehicle:
car Auto n Autos
bus/buses Bus m Busse
train Zug m Züge
bicycle Fahrrad n Fahrräder
motorbike Motorrad n Motorräder
boat Boot n Boote
ship Schiff n Schiffe
truck Lastwagen m Lastwagen
taxi Taxi n Taxis
aeroplane Flugzeug n Flugzeuge
tram Straßenbahn f Straßenbahnen
carriage Kutsche f Kutschen
sledge Schlitten m Schlitten
tractor Traktor m Traktoren
ferry Fähre f Fähren
balloon Ballon m Ballons
plant:
tree Baum m Bäume
flower Blume f Blumen
rose Rose f Rosen
tulip Tulpe f Tulpen
bush Busch m Büsche
oak Eiche f Eichen
lily Lilie f Lilien
hedge Hecke f Hecken
birch Birke f Birken
sunflower Sonnenblume f Sonnenblumen
fir Tanne f Tannen
event:
concert Konzert n Konzerte
party Party f Partys
festival Fest n Feste
wedding Hochzeit f Hochzeiten
journey Reise f Reisen
trip Ausflug m Ausflüge
conference Konferenz f Konferenzen
meeting Sitzung f Sitzungen
lesson Unterrichtsstunde f Unterrichtsstunden
exam Prüfung f Prüfungen
competition Wettbewerb m Wettbewerbe
game Spiel n Spiele
exhibition Ausstellung f Ausstellungen
lecture Vorlesung f Vorlesungen
course Kurs m Kurse
project Projekt n Projekte
performance Aufführung f Aufführungen
discussion Diskussion f Diskussionen
idea:
plan Plan m Pläne
problem Problem n Probleme
question Frage f Fragen
answer Antwort f Antworten
idea Idee f Ideen
decision Entscheidung f Entscheidungen
solution Lösung f Lösungen
mistake Fehler m Fehler
rule Regel f Regeln
secret Geheimnis n Geheimnisse
proposal Vorschlag m Vorschläge
wish Wunsch m Wünsche
dream Traum m Träume
task Aufgabe f Aufgaben
opinion Meinung f Meinungen
method Methode f Methoden
theory Theorie f Theorien
law Gesetz n Gesetze
goal Ziel n Ziele
danger Gefahr f Gefahren
joke Witz m Witze
adventure Abenteuer n Abenteuer
)";
}

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
