import { foldText } from './fold-text.ts'
import { ALL_LANGUAGES } from './opt-words-by-language.ts'
import { type OptWords, readOptWord } from './read-opt-word.ts'
import { readWrittenText, type TextWithSubject } from './written-words.ts'

// Texts that read like an opt-out, but are no word of the account: a person decides about them.

/** Characters of a text, at most: a longer one is a letter. */
const MAX_CHARACTERS = 300

/** Words of courtesy around an opt-out word, in all languages. */
const COURTESY =
  'please pls plz thanks thank you thx hi hello dear sir madam now me texting it ' +
  'bitte danke hallo jetzt sofort vielen dank und guten tag lg mfg ' +
  'svp stp s il vous te plait merci bonjour maintenant ' +
  'por favor gracias hola ahora ya obrigado obrigada ola agora ' +
  'per favore grazie ciao subito prego alstublieft aub bedankt nu dank u wel je ' +
  'prosze dziekuje czesc teraz tack snalla hej ' +
  'lutfen tesekkurler tesekkur ederim tak venligst takk vennligst kiitos prosim diky ' +
  'пожалуиста спасибо будь ласка дякую από فضلك شكرا 请 請 谢谢 謝謝'

/** Opt-out words of languages that accounts cannot choose, beside those that this account has not. */
const OTHER_WORDS =
  'İPTAL RET DURDUR AFMELD AVMELD SLUTT LOPETA PERUUTA ODHLÁSIT ZRUŠIT СТОП ОТПИСАТЬСЯ ОТПИСКА ОТМЕНА ' +
  'ВІДПИСАТИСЯ ΣΤΟΠ ΔΙΑΓΡΑΦΗ إيقاف ايقاف إلغاء الغاء توقف 退订 退訂 TD रोकें बंद रोको'

/** Other forms of the words that opt out. */
const OTHER_FORMS =
  'UNSUB ABMELDUNG ABBESTELLUNG KÜNDIGUNG KUENDIGUNG AUFHÖREN ARRÊTE DÉSABONNEMENT DÉSINSCRIPTION RÉSILIER PAREM ' +
  'CANCELE DESCADASTRE DESCADASTRO PRZESTAŃ PRZESTAŃCIE WYPISZCIE CANCELLAMI DISISCRIVIMI DISISCRIVERMI ' +
  'ELIMÍNAME AFMELDING'

/** Words that people write beside an opt-out word: `STOP SMS`, `Stop all messages`. */
const OBJECTS =
  'all alle sms text texts message messages nachricht nachrichten texto textos mensaje mensajes mensagem mensagens ' +
  'messaggi messaggio wiadomosci berichten'
/** `STOP au 36111`: as French law wants it, and as people write in other languages. */
const STOP_TO = /^ stopp? (?:(?:a|al|an|au|auf|para|to) )?\p{N}{3,8} $/u

/** Phrases of an opt-out, which may stand in a sentence. Commas separate them. */
const PHRASES = [
  // English
  'stop texting, stop sending, stop messaging, stop contacting, stop these texts, stop these messages, stop the texts, ' +
    'stop the messages, stop all texts, stop all messages, stop spamming, no more texts, no more messages, no more sms, ' +
    'dont text me, don t text me, do not text me, dont send me, don t send me, do not send me, ' +
    'dont message me, don t message me, do not message me, dont contact me, don t contact me, do not contact me, ' +
    'unsubscribe me, want to unsubscribe, like to unsubscribe, opt me out, want to opt out, like to opt out, take me off, ' +
    'remove me, remove my number, remove from list, delete me, delete my number, lose my number, leave me alone, ' +
    'quit texting, do not text, dont text, don t text, do not send any more, don t send any more, dont send any more',
  // German
  'keine sms mehr, keine nachrichten mehr, keine nachricht mehr, keine texte mehr, keine werbung mehr, keine werbung, ' +
    'keine weiteren sms, keine weiteren nachrichten, keine weitere sms, nicht mehr schreiben, nicht mehr anschreiben, ' +
    'nichts mehr schicken, nichts mehr senden, nicht mehr kontaktieren, nicht mehr schicken, hort auf, hor auf, ' +
    'horen sie auf, mich abmelden, melden sie mich ab, meldet mich ab, mochte mich abmelden, ' +
    'nummer loschen, loschen sie meine nummer, loschen sie mich, aus dem verteiler, vom verteiler, lasst mich in ruhe, ' +
    'lassen sie mich in ruhe, sms abbestellen, sms stoppen, schreiben sie mir nicht mehr, schreib mir nicht mehr, ' +
    'schreibt mir nicht mehr, keine nachrichten von ihnen, keine sms von ihnen, keine erinnerungen mehr, ' +
    'keine erinnerung mehr, losche meine nummer, losch meine nummer, loscht meine nummer, abo beenden, um abmeldung, ' +
    'widerrufe meine einwilligung, streichen sie mich, streicht mich, mich von der liste, mich aus der liste, ' +
    'nie wieder schreiben, nie mehr schreiben, keine sms an diese nummer',
  // French
  'plus de sms, plus de messages, plus de message, plus de texto, plus de textos, plus recevoir, plus m ecrire, ' +
    'ne m envoyez plus, ne m ecrivez plus, ne me contactez plus, arretez de m envoyer, arretez de m ecrire, ' +
    'arretez les sms, arretez vos sms, arretez les messages, arretez vos messages, desabonnez moi, desinscrivez moi, ' +
    'me desabonner, me desinscrire, supprimez mon numero, retirez moi, retirez mon numero, plus de vos messages, ' +
    'plus de vos sms, plus m envoyer, plus me contacter, pas de sms, pas de messages, supprimer mon numero, ' +
    'effacez mon numero, effacer mon numero, laissez moi tranquille',
  // Italian
  'basta sms, basta messaggi, niente sms, niente messaggi, niente piu sms, niente piu messaggi, piu sms, ' +
    'non voglio piu ricevere, non voglio piu sms, non voglio piu messaggi, non inviatemi, non mandatemi, non mi scrivete, non scrivetemi, non contattatemi, ' +
    'smettete di, smettetela, disiscrivetemi, cancellatemi, cancellarmi, cancellate il mio numero, ' +
    'rimuovete il mio numero, basta con i messaggi',
  // Spanish
  'no mas mensajes, no mas sms, no mas textos, no quiero mas mensajes, no quiero recibir, no me envien, no me envie, ' +
    'no me manden, no me mande, no me escriban, no me escriba, no me contacten, dejen de enviar, deje de enviar, ' +
    'dejen de escribir, dejen de mandar, denme de baja, deme de baja, darme de baja, quiero la baja, borren mi numero, ' +
    'eliminen mi numero, cancelar suscripcion, quitenme de la lista, quiteme de la lista, eliminenme, no enviar mas, ' +
    'no envien mas, no envie mas, dejen de molestar, no molestar',
  // Portuguese
  'nao quero mais sms, nao quero mais mensagens, nao quero mais receber, nao quero receber, nao me mande, nao me mandem, nao me envie, nao me enviem, nao enviem mais, ' +
    'nao envie mais, nao mande mais, nao mandem mais, parem de enviar, pare de enviar, parem de mandar, pare de mandar, ' +
    'sem mais mensagens, chega de sms, chega de mensagens, descadastrem, me descadastre, me remova, me removam, ' +
    'remova meu numero, remover meu numero, retirem o meu numero, cancelar inscricao, pare de me mandar, ' +
    'parem de me mandar, pare de me enviar, parem de me enviar, me tira da lista, me tire da lista, me tire dessa lista, ' +
    'me tirem da lista, sair da lista, excluir meu numero, exclua meu numero, excluam meu numero, nao perturbe',
  // Dutch
  'geen sms meer, geen smsjes meer, geen berichten meer, geen sms en meer, geen reclame meer, niet meer sturen, ' +
    'niet meer smsen, stop met sturen, stop met smsen, wil me afmelden, me uitschrijven, schrijf me uit, meld me af, verwijder mijn nummer, ' +
    'verwijder mij',
  // Polish
  'prosze nie pisac, nie chce wiecej sms, nie chce wiecej wiadomosci, nie chce otrzymywac, nie chce sms, nie wysylac, nie wysylajcie, nie piszcie, ' +
    'prosze wypisac, wypisz mnie, wypiszcie mnie, prosze usunac moj numer, usun moj numer, usuncie moj numer, ' +
    'prosze przestac, nie chce smsow, nie chce wiecej smsow, nie chce wiadomosci, nie zycze sobie sms, ' +
    'nie zycze sobie smsow, nie zycze sobie wiadomosci, nie wysylaj, przestan pisac, przestancie pisac, ' +
    'przestancie wysylac, rezygnuje z sms, rezygnuje z wiadomosci',
  // Swedish, Danish, Norwegian
  'inga fler sms, inga fler meddelanden, inga mer sms, sluta skicka, sluta smsa, skicka inte mer, avregistrera mig, ' +
    'ta bort mitt nummer, ta bort mig, ikke flere sms, ingen flere sms, ikke flere beskeder, ikke flere meldinger, ' +
    'stop med at sende, slutt a sende, afmeld mig, meld meg av',
  // Turkish
  'sms istemiyorum, mesaj istemiyorum, mesaj atmayin, sms atmayin, mesaj gondermeyin, sms gondermeyin, ' +
    'beni listeden cikarin, abonelikten cik, numarami silin, artik mesaj',
  // Hindi, also in Latin letters
  'बंद करो, बंद करें, बंद कीजिए, मत भेजो, मत भेजें, मत भेजिए, न भेजें, ना भेजें, नहीं चाहिए मैसेज, band karo, ' +
    'band kare, band karen, mat bhejo, mat bhejiye, na bheje, nahi bheje',
  // Arabic
  'لا ترسل, لا ترسلوا, الغاء الاشتراك, إلغاء الاشتراك, لا أريد رسائل, لا اريد رسائل, توقفوا عن',
].flatMap((phrases) => phrases.split(', '))

/** Phrases of writings without spaces between words. */
const PHRASES_WITHOUT_SPACES =
  '退订 退訂 取消订阅 取消訂閱 不要再发 不要再發 别再发 別再發 停止发送 停止發送 勿再发 勿再發 配信停止 送らないで'.split(
    ' ',
  )

/** Words before a phrase that turn it round, as in `never stop texting me`, `Bekomme ich keine SMS mehr`. */
const TURNS =
  / (?:(?:don t|dont|not)(?: want to)?|never|(?:did|have|do) you|n ai|n avons|n a|y a|avez vous|voudrais|nicht|(?:bekommen?|erhalte|kriegen?)(?: \S+){0,2}) $/u
/** Words around the phrase of `Ich habe keine SMS mehr bekommen`. */
const HAVE = / (?:hab|habe|haben|hat|hatte)(?: \S+){0,4} $/u
const GOT = /^(?:\S+ )?(?:bekommen|erhalten|gekriegt|empfangen)\b/u

/** Words after a phrase that limit it, as in `keine Nachrichten mehr nach 22 Uhr`. */
const LIMITS = new Set(
  (
    'after before between at on until till during by to in for about nach vor zwischen um am bis ab wahrend an uber von ' +
    'apres avant entre pendant le a despues antes durante depois dopo prima tra durante ' +
    'na voor tussen tijdens po przed miedzy efter fore mellan sonra once'
  ).split(' '),
)
/** Words after a phrase that limit nothing: `to me`, `von Ihnen`, `a mi número`. */
const WHOM =
  /^(?:(?:to|for|at|in|an|von|a|de|le) )(?:me|my|us|this|mich|mir|meine|meiner|diese|dieser|ihnen|euch|dir|moi|mon|ce|cette|mi|mim|meu|minha|este|esta|ma)\b/

/** The words of a text in one spelling, each with a space before it, and one at the end. */
function foldWords(text: string): string {
  const words = foldText(text)
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '')
  return ` ${words.join(' ')} `
}

const fold = (text: string): string => foldWords(text).trim()

const COURTESIES = new Set(COURTESY.split(' ').map(fold))
const FOLDED = PHRASES.map(foldWords)
const OTHERS = new Set(
  [...OTHER_WORDS.split(' '), ...OTHER_FORMS.split(' '), ...ALL_LANGUAGES.out].map(fold),
)
/** Words that may also stand within a phrase: `Löschen Sie bitte meine Nummer`. */
const WITHIN = new Set(
  'please pls plz bitte jetzt sofort now svp stp prosze aub alstublieft lutfen'.split(' '),
)
const NO_WORDS = new Set([...COURTESIES, ...OBJECTS.split(' ')])

function isLimited(rest: string): boolean {
  if (WHOM.test(rest)) return false
  const [next = ''] = rest.split(' ')
  return LIMITS.has(next) || /^\p{N}/u.test(next)
}

const isTurned = (before: string, rest: string): boolean =>
  TURNS.test(before) || (HAVE.test(before) && GOT.test(rest))

const hasPhrase = (words: string): boolean =>
  FOLDED.some((phrase) => {
    const at = words.indexOf(phrase)
    const [before, rest] = [words.slice(0, at + 1), words.slice(at + phrase.length)]
    return at >= 0 && !isTurned(before, rest) && !isLimited(rest)
  }) || PHRASES_WITHOUT_SPACES.some((phrase) => words.includes(phrase))

/** A text without words of the set, each run of equal words once. */
function dropWords(words: string, dropped: ReadonlySet<string>): string {
  const all = words
    .trim()
    .split(' ')
    .filter((word) => !dropped.has(word))
  return all.filter((word, i) => word !== all[i - 1]).join(' ')
}

/**
 * Whether a whole text reads like an opt-out without being a word that opts out, or in: a word of another
 * language, a word with courtesies (`Stopp bitte`), or a phrase (`keine SMS mehr`). `words`: those of the
 * account.
 */
export function readsLikeOptOut(text: TextWithSubject, words: OptWords): boolean {
  if (readOptWord(text, words) !== undefined) return false
  const written = readWrittenText(text)
  const own = written.words || written.subject
  if (own === '' || own.length > MAX_CHARACTERS) return false
  const out = new Set([...OTHERS, ...words.out.map(fold)])
  const isWord = (text: string) =>
    [COURTESIES, NO_WORDS].some((dropped) => out.has(dropWords(foldWords(text), dropped)))
  // a letter may follow the word: `STOPP`, a blank line, `Mit freundlichen Grüßen`
  const [first = ''] = own.split('\n')
  const folded = foldWords(own)
  return (
    isWord(own) ||
    isWord(first) ||
    STOP_TO.test(folded) ||
    hasPhrase(folded) ||
    hasPhrase(` ${dropWords(folded, WITHIN)} `)
  )
}
