// Adjectives: English German[/stem before endings] classes [comparative superlative comparative superlative],
// the first two English, the last two German. And adverbs of manner.
#include "data/demo_corpus/lexicon.h"

namespace transformer::demo {

std::string_view adjective_table() {
  return R"(
old alt person,animal,thing,text,building,plant older oldest älter ältest
young jung person,animal,plant younger youngest jünger jüngst
new neu thing,text,building,idea,clothing newer newest neuer neuest
big groß person,animal,thing,place,fruit,pastry,plant bigger biggest größer größt
small klein person,animal,thing,place,fruit,pastry,plant smaller smallest kleiner kleinst
tall hoch/hoh plant,building - - - -
beautiful schön person,animal,thing,place,plant,text - - - -
ugly hässlich animal,thing,building,clothing uglier ugliest hässlicher hässlichst
expensive teuer/teur thing,drink,text,building,edible - - - -
cheap billig thing,drink,text,building,edible cheaper cheapest billiger billigst
heavy schwer furniture,object,device,opening heavier heaviest schwerer schwerst
long lang text,event,clothing,part longer longest länger längst
short kurz text,event,clothing shorter shortest kürzer kürzest
wide breit part,furniture,nature wider widest breiter breitest
narrow schmal part,furniture,nature narrower narrowest schmaler schmalst
strong stark person,animal,drink stronger strongest stärker stärkst
weak schwach person,animal weaker weakest schwächer schwächst
fast schnell person,animal,vehicle,device faster fastest schneller schnellst
slow langsam person,animal,vehicle,device slower slowest langsamer langsamst
clever klug person,animal,idea cleverer cleverest klüger klügst
stupid dumm idea
friendly freundlich person,animal friendlier friendliest freundlicher freundlichst
unfriendly unfreundlich person,animal
happy glücklich person,animal happier happiest glücklicher glücklichst
unhappy unglücklich person,animal
polite höflich person
impolite unhöflich person
honest ehrlich person
dishonest unehrlich person
patient geduldig person
impatient ungeduldig person
famous berühmt person,text,building,nature
unknown unbekannt person,text,building
rich reich person richer richest reicher reichst
poor arm person poorer poorest ärmer ärmst
hungry hungrig person,animal
thirsty durstig person,animal
tired müde/müd person,animal
sick krank person,animal
healthy gesund person,animal,edible,plant healthier healthiest gesünder gesündest
brave mutig person,animal braver bravest mutiger mutigst
anxious ängstlich person,animal
hard-working fleißig person
lazy faul person,animal lazier laziest fauler faulst
funny lustig person,animal,text,event funnier funniest lustiger lustigst
serious ernst person,text
sad traurig person,animal,text sadder saddest trauriger traurigst
proud stolz person,animal prouder proudest stolzer stolzest
shy schüchtern person,animal
quiet ruhig person,place,animal quieter quietest ruhiger ruhigst
loud laut person,event,device louder loudest lauter lautest
curious neugierig person,animal
talented begabt person
experienced erfahren person
inexperienced unerfahren person
grateful dankbar person
ungrateful undankbar person
jealous eifersüchtig person
generous großzügig person
stingy geizig person
modest bescheiden person
strict streng person stricter strictest strenger strengst
gentle sanft person,animal gentler gentlest sanfter sanftest
careless leichtsinnig person
cheerful heiter person
nervous nervös person,animal
angry wütend person,animal
elegant elegant person,clothing,room
blond blond person
blind blind person,animal
wild wild animal,plant,nature
tame zahm animal
dangerous gefährlich animal,idea,vehicle,nature
harmless harmlos animal,idea
thin dünn person,animal,text,clothing thinner thinnest dünner dünnst
fat dick animal
loyal treu person,animal
greedy gierig animal
sweet süß fruit,pastry,drink,mass sweeter sweetest süßer süßest
sour sauer/saur fruit,food,drink
fresh frisch edible,drink fresher freshest frischer frischest
ripe reif fruit riper ripest reifer reifst
unripe unreif fruit
warm warm food,drink,clothing,room,pastry warmer warmest wärmer wärmst
cold kalt food,drink,room,mass colder coldest kälter kältest
hot heiß food,drink,pastry hotter hottest heißer heißest
salty salzig food,mass
spicy scharf food,mass
delicious köstlich edible,drink
frozen gefroren mass,fruit
rotten verfault fruit
juicy saftig fruit
red rot clothing,thing,fruit,plant
blue blau clothing,thing,plant
green grün clothing,thing,plant,fruit
yellow gelb clothing,thing,plant,fruit
black schwarz clothing,thing,animal
white weiß clothing,thing,animal,plant
brown braun clothing,thing,animal
grey grau clothing,thing,animal
violet violett clothing,thing,plant
colourful bunt clothing,object,plant
light-blue hellblau clothing,thing
dark-blue dunkelblau clothing,thing
light-green hellgrün clothing,thing
dark-green dunkelgrün clothing,thing
dark-red dunkelrot clothing,thing
light-brown hellbraun clothing,thing
dark-brown dunkelbraun clothing,thing
light-grey hellgrau clothing,thing
dark-grey dunkelgrau clothing,thing
snow-white schneeweiß clothing,animal
grass-green grasgrün clothing,thing
lemon-yellow zitronengelb clothing,object
wooden hölzern furniture,object,opening,part
round rund furniture,object,opening,room
square quadratisch furniture,object,room,part
soft weich clothing,pastry,furniture softer softest weicher weichst
hard hart furniture,object,pastry harder hardest härter härtest
dirty schmutzig clothing,object,room,part,vehicle dirtier dirtiest schmutziger schmutzigst
clean sauber clothing,object,room,part cleaner cleanest sauberer sauberst
wet nass clothing,animal,part,nature wetter wettest nasser nassest
dry trocken/trocken clothing,nature,mass
broken kaputt device,vehicle,object,furniture,opening
modern modern building,device,furniture,room
comfortable bequem furniture,clothing,vehicle
uncomfortable unbequem furniture,clothing
practical praktisch device,clothing,object
impractical unpraktisch device,clothing,object
useful nützlich device,text,idea
useless nutzlos device,idea
valuable wertvoll object,text,furniture
worthless wertlos object,text
shiny glänzend object,vehicle,clothing shinier shiniest glänzender glänzendst
empty leer opening,building,room,vehicle,object
full voll opening
open offen opening
closed geschlossen opening
lost verloren animal,object,clothing,text
forgotten vergessen text,idea,building
stolen gestohlen object,vehicle,clothing
wonderful wunderbar event,idea,text,place
terrible schrecklich event,idea
interesting interessant text,event,idea,person
uninteresting uninteressant text,event,idea
boring langweilig text,event,person
exciting spannend text,event
important wichtig text,event,idea,person
unimportant unwichtig text,event,idea
difficult schwierig event,idea,text
easy einfach idea,text easier easiest einfacher einfachst
good gut person,text,idea,edible better best besser best
bad schlecht text,idea,event worse worst schlechter schlechtest
possible möglich idea
impossible unmöglich idea
probable wahrscheinlich idea
improbable unwahrscheinlich idea
right richtig idea,text
wrong falsch idea,text
strange seltsam person,animal,idea,text,event stranger strangest seltsamer seltsamst
secret geheim text,idea,event
official offiziell text,event
simple schlicht text,clothing,furniture simpler simplest schlichter schlichtest
legible lesbar text
illegible unlesbar text
hopeless hoffnungslos idea
endless endlos event,text
sunny sonnig room,nature,part sunnier sunniest sonniger sonnigst
dark dunkel/dunkl room,building,nature,clothing darker darkest dunkler dunkelst
bright hell room,building,part brighter brightest heller hellst
lonely einsam person,nature,building lonelier loneliest einsamer einsamst
mysterious geheimnisvoll person,nature,building,text
historic historisch building,text
ruined zerstört building
fragrant duftend plant,pastry
thorny dornig plant thornier thorniest dorniger dornigst
withered verwelkt plant
electric elektrisch device,vehicle
silent still nature,person
busy beschäftigt person
)";
}

std::string_view manner_table() {
  return R"(
carefully vorsichtig
quickly schnell
slowly langsam
quietly leise
happily fröhlich
secretly heimlich
patiently geduldig
impatiently ungeduldig
politely höflich
proudly stolz
bravely mutig
eagerly eifrig
alone allein
accidentally versehentlich
hesitantly zögernd
calmly ruhig
hastily hastig
skilfully geschickt
clumsily ungeschickt
thoroughly gründlich
nervously nervös
willingly bereitwillig
reluctantly widerwillig
)";
}

}  // namespace transformer::demo
