// The verbs. Frame | English [past participle] [+particle] | German [3rd person, past, participle] [*] |
// objects or, for prepositional verbs, preposition, case and objects. One form alone is inflected regularly.
// "|" would end a column, so a separable prefix is set off by "-"; "*" marks the perfect with sein.
#include "data/demo_corpus/lexicon.h"

namespace transformer::demo {

std::string_view verb_table() {
  return R"(
T | eat ate eaten | essen isst aß gegessen | edible
T | drink drank drunk | trinken trinkt trank getrunken | drink
T | buy bought bought | kaufen | edible,drink,thing,text,plant
T | sell sold sold | verkaufen | edible,thing,text,plant
T | see saw seen | sehen sieht sah gesehen | person,animal,building,nature,vehicle,plant,object
T | find found found | finden findet fand gefunden | thing,text,animal,idea
T | lose lost lost | verlieren verliert verlor verloren | clothing,object,opening,text
T | visit | besuchen | person,building,nature
T | have had had | haben hat hatte gehabt | idea,thing,text,animal
T | know knew known | kennen kennt kannte gekannt | person,building,text,idea
T | love | lieben | person,animal,edible,nature,text
T | admire | bewundern | person,building,text,plant
T | draw drew drawn | zeichnen | person,animal,building,nature,plant,vehicle
T | paint | malen | animal,building,nature,plant,fruit
T | build built built | bauen | building,vehicle,furniture
T | repair | reparieren | vehicle,device,furniture,building,part
T | clean | putzen | room,part,object,opening,furniture
T | wash | waschen wäscht wusch gewaschen | clothing,vehicle,animal,fruit
T | open | öffnen | opening
T | close | schließen schließt schloss geschlossen | opening
T | unlock | auf-schließen schließt schloss aufgeschlossen | opening
T | lock | ab-schließen schließt schloss abgeschlossen | opening
T | write wrote written | schreiben schreibt schrieb geschrieben | text
T | read read read | lesen liest las gelesen | text
T | translate | übersetzen übersetzt übersetzte übersetzt | text
T | print | drucken | text
T | copy copied copied | kopieren | text
T | sign | unterschreiben unterschreibt unterschrieb unterschrieben | text
T | burn | verbrennen verbrennt verbrannte verbrannt | text,furniture
T | publish | veröffentlichen | text
T | correct | korrigieren | text,idea
T | describe | beschreiben beschreibt beschrieb beschrieben | person,animal,building,nature,idea,event
T | understand understood understood | verstehen versteht verstand verstanden | person,idea,text
T | forget forgot forgotten | vergessen vergisst vergaß vergessen | idea,text,clothing
T | accept | an-nehmen nimmt nahm angenommen | idea
T | reject | ab-lehnen | idea
T | discuss | besprechen bespricht besprach besprochen | idea,text
T | defend | verteidigen | idea,person
T | explain | erklären | idea,text
T | mention | erwähnen | person,idea,event,text
T | change | ändern | idea
T | improve | verbessern | idea,text
T | prepare | vor-bereiten bereitet bereitete vorbereitet | event
T | organise | organisieren | event
T | celebrate | feiern | event
T | enjoy | genießen genießt genoss genossen | event,food,pastry
T | cancel cancelled cancelled | ab-sagen | event
T | postpone | verschieben verschiebt verschob verschoben | event
T | miss | vermissen | person,animal
T | watch | beobachten | person,animal
T | invite | ein-laden lädt lud eingeladen | person
T | phone | an-rufen ruft rief angerufen | person
T | pick picked picked +up | ab-holen | person
T | greet | grüßen | person
T | hug hugged hugged | umarmen umarmt umarmte umarmt | person,animal
T | meet met met | treffen trifft traf getroffen | person
T | interrupt | unterbrechen unterbricht unterbrach unterbrochen | person
T | convince | überzeugen überzeugt überzeugte überzeugt | person
T | disturb | stören | person,animal
T | surprise | überraschen überrascht überraschte überrascht | person
T | warn | warnen | person
T | praise | loben | person,text,idea
T | accompany accompanied accompanied | begleiten | person
T | save | retten | person,animal
T | introduce | vor-stellen | person
T | look looked looked +for | suchen | person,animal,thing,text
T | take took taken +along | mit-nehmen nimmt nahm mitgenommen | person,animal,clothing,object
T | bring brought brought +back | zurück-bringen bringt brachte zurückgebracht | object,text,animal,clothing
T | fetch | holen | object,text,drink,mass
T | put put put +on | an-ziehen zieht zog angezogen | clothing
T | take took taken +off | aus-ziehen zieht zog ausgezogen | clothing
T | try tried tried +on | an-probieren probiert probierte anprobiert | clothing
T | wear wore worn | tragen trägt trug getragen | clothing
T | iron | bügeln | clothing
T | sew sewed sewn | nähen | clothing
T | hang hung hung +up | auf-hängen | clothing
T | dry dried dried | trocknen | clothing
T | turn turned turned +on | ein-schalten | device
T | turn turned turned +off | aus-schalten | device
T | use | benutzen | device,object,vehicle
T | invent | erfinden erfindet erfand erfunden | device,vehicle
T | test | testen | device,vehicle
T | break broke broken | zerbrechen zerbricht zerbrach zerbrochen | object
T | throw threw thrown +away | weg-werfen wirft warf weggeworfen | object,text,edible
T | clear cleared cleared +away | weg-räumen | object,text,clothing
T | tidy tidied tidied +up | auf-räumen | room
T | collect | sammeln | object,text
T | hide hid hidden | verstecken | object,text
T | steal stole stolen | stehlen stiehlt stahl gestohlen | vehicle,object,clothing,device
T | wrap wrapped wrapped +up | ein-packen | object,text,clothing,edible
T | unpack | aus-packen | object,text,opening,clothing
T | cook | kochen | food,fruit
T | bake | backen backt backte gebacken | pastry
T | peel | schälen | fruit
T | taste | probieren | edible,drink
T | order | bestellen | edible,drink,text
T | serve | servieren | food,pastry,drink
T | plant | pflanzen | plant
T | water | gießen gießt goss gegossen | plant
T | pluck | pflücken | fruit
T | feed fed fed | füttern | animal
T | tame | zähmen | animal
T | catch caught caught | fangen fängt fing gefangen | animal
T | hear heard heard | hören | person,animal
T | park | parken | vehicle
T | steer | steuern | vehicle
T | rent | mieten | building,vehicle,room
T | leave left left | verlassen verlässt verließ verlassen | building,room,nature
T | enter | betreten betritt betrat betreten | building,room
T | renovate | renovieren | building,room
T | photograph | fotografieren | person,animal,building,nature,plant
T | own | besitzen besitzt besaß besessen | building,vehicle,furniture,animal
T | decorate | schmücken | room,opening,building
T | need | brauchen | thing,text,edible,drink
T | choose chose chosen | aus-wählen | clothing,text,edible,furniture
T | check | überprüfen überprüft überprüfte überprüft | text,idea,device,vehicle
T | measure | messen misst maß gemessen | part,furniture,room
T | damage | beschädigen | thing
T | deliver | liefern | furniture,device,edible,text
T | repeat | wiederholen wiederholt wiederholte wiederholt | idea
D | help | helfen hilft half geholfen | person,animal
D | thank | danken | person
D | follow | folgen * | person,animal
D | trust | vertrauen | person,animal
D | listen listened listened +to | zu-hören | person
D | congratulate | gratulieren | person
D | obey obeyed obeyed | gehorchen | person
D | forgive forgave forgiven | verzeihen verzeiht verzieh verziehen | person
D | contradict | widersprechen widerspricht widersprach widersprochen | person
D | wave waved waved +to | zu-winken | person
P | wait waited waited +for | warten | auf acc person,vehicle
P | think thought thought +of | denken denkt dachte gedacht | an acc person,event
P | talk talked talked +about | sprechen spricht sprach gesprochen | über acc person,text,event,idea
P | dream dreamt dreamt +of | träumen | von dat person,animal,event,pastry
P | laugh laughed laughed +about | lachen | über acc person,idea,text
P | take took taken +part_in | teil-nehmen nimmt nahm teilgenommen | an dat event
P | look looked looked +after | auf-passen | auf acc person,animal
P | believe believed believed +in | glauben | an acc idea
P | complain complained complained +about | klagen | über acc idea,food,event
P | doubt doubted doubted | zweifeln | an dat idea
P | fight fought fought +against | kämpfen | gegen acc idea,animal
P | report reported reported +on | berichten | über acc event,idea
P | play played played +with | spielen | mit dat animal,object
P | speak spoke spoken +with | reden | mit dat person
P | dance danced danced +with | tanzen | mit dat person
P | quarrel quarrelled quarrelled +with | streiten streitet stritt gestritten | mit dat person
G | give gave given | geben gibt gab gegeben | object,text,edible,clothing
G | show showed shown | zeigen | object,text,building,animal
G | send sent sent | schicken | object,text,clothing
G | lend lent lent | leihen leiht lieh geliehen | object,text,vehicle
G | bring brought brought | bringen bringt brachte gebracht | object,text,edible,drink
G | offer | an-bieten bietet bot angeboten | edible,drink,furniture
G | hand | reichen | object,edible
G | owe | schulden | object,text
M | go went gone | gehen geht ging gegangen * |
M | travel travelled travelled | reisen * |
M | drive drove driven | fahren fährt fuhr gefahren * |
M | run ran run | rennen rennt rannte gerannt * |
M | walk | laufen läuft lief gelaufen * |
M | come came come | kommen kommt kam gekommen * |
M | hurry hurried hurried | eilen * |
M | return | zurück-kehren * |
L | sit sat sat | sitzen sitzt saß gesessen |
L | sleep slept slept | schlafen schläft schlief geschlafen |
L | work | arbeiten |
L | live | wohnen |
L | stay stayed stayed | bleiben bleibt blieb geblieben * |
L | sing sang sung | singen singt sang gesungen |
L | cry cried cried | weinen |
L | rest | ruhen |
L | study studied studied | lernen |
L | appear | erscheinen erscheint erschien erschienen * |
L | disappear | verschwinden verschwindet verschwand verschwunden * |
L | arrive | an-kommen kommt kam angekommen * |
L | get got got +up | auf-stehen steht stand aufgestanden * |
L | wake woke woken +up | auf-wachen * |
L | fall fell fallen +asleep | ein-schlafen schläft schlief eingeschlafen * |
X | stand stood stood | stehen steht stand gestanden | furniture,object,device,opening
X | lie lay lain | liegen liegt lag gelegen | text,clothing,object,fruit
W | put put put | legen | text,clothing,object,fruit
W | place | stellen | furniture,object,device
W | throw threw thrown | werfen wirft warf geworfen | clothing,object,text
W | push | schieben schiebt schob geschoben | furniture,opening
W | carry carried carried | tragen trägt trug getragen | furniture,object,device,opening
S | say said said | sagen |
S | know knew known | wissen weiß wusste gewusst |
S | believe | glauben |
S | hope | hoffen |
S | think thought thought | denken denkt dachte gedacht |
S | claim | behaupten |
S | notice | bemerken |
S | fear | fürchten |
S | discover | entdecken |
S | suspect | vermuten |
S | confirm | bestätigen |
S | report | berichten |
S | dream dreamt dreamt | träumen |
S | mention | erwähnen |
Q | ask | fragen |
Z | try tried tried | versuchen |
Z | begin began begun | an-fangen fängt fing angefangen |
Z | forget forgot forgotten | vergessen vergisst vergaß vergessen |
Z | promise | versprechen verspricht versprach versprochen |
Z | hope | hoffen |
Z | decide | beschließen beschließt beschloss beschlossen |
Z | learn | lernen |
C | be was been | sein ist war gewesen * |
R | rain | regnen |
R | snow | schneien |
)";
}

}  // namespace transformer::demo
