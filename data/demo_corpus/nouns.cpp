// The nouns: persons and animals. A line "class:" opens a class; then English[/plural] German gender plural
// [~] [feminine]. An underscore stands for a space, "~" marks the weak declension. Nouns of the class "role"
// are persons with a derived feminine in -in, given in the last column where the stem changes.
#include "data/demo_corpus/lexicon.h"

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
beekeeper Imker m Imker
glazier Glaser m Glaser
potter Töpfer m Töpfer
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
secretary Sekretär m Sekretäre
detective Detektiv m Detektive
diver Taucher m Taucher
dentist Zahnarzt m Zahnärzte Zahnärztin
plumber Klempner m Klempner
shepherd Schäfer m Schäfer
miner Bergarbeiter m Bergarbeiter
blacksmith Schmied m Schmiede
referee Schiedsrichter m Schiedsrichter
philosopher Philosoph m Philosophen ~
biologist Biologe m Biologen ~ Biologin
geologist Geologe m Geologen ~ Geologin
psychologist Psychologe m Psychologen ~ Psychologin
astronomer Astronom m Astronomen ~
editor Redakteur m Redakteure
publisher Verleger m Verleger
critic Kritiker m Kritiker
author Autor m Autoren
professor Professor m Professoren
director Direktor m Direktoren
ambassador Botschafter m Botschafter
interpreter Dolmetscher m Dolmetscher
adviser Berater m Berater
tenant Mieter m Mieter
landlord Vermieter m Vermieter
buyer Käufer m Käufer
collector Sammler m Sammler
hiker Wanderer m Wanderer Wanderin
rider Reiter m Reiter
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
badger Dachs m Dachse
otter Otter m Otter
weasel Wiesel n Wiesel
rat Ratte f Ratten
hamster Hamster m Hamster
bat Fledermaus f Fledermäuse
sparrow Spatz m Spatzen ~
swallow Schwalbe f Schwalben
peacock Pfau m Pfauen
ostrich/ostriches Strauß m Strauße
leopard Leopard m Leoparden ~
panther Panther m Panther
rhinoceros/rhinoceroses Nashorn n Nashörner
shark Hai m Haie
crab Krebs m Krebse
mosquito/mosquitoes Mücke f Mücken
worm Wurm m Würmer
caterpillar Raupe f Raupen
grasshopper Heuschrecke f Heuschrecken
ladybird Marienkäfer m Marienkäfer
lizard Eidechse f Eidechsen
toad Kröte f Kröten
seagull Möwe f Möwen
woodpecker Specht m Spechte
falcon Falke m Falken ~
mule Maultier n Maultiere
ox/oxen Ochse m Ochsen ~
rooster Hahn m Hähne
)";
}

}  // namespace transformer::demo
