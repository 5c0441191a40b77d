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
  'ВІДПИСАТИСЯ ΣΤΟΠ ΔΙΑΓΡΑΦΗ إيقاف ايقاف إلغاء الغاء توقف 退订 退訂 TD रोकें बंद'

/** Phrases of an opt-out, which may stand in a sentence. Commas separate them. */
const PHRASES = [
  // English
  'stop texting, stop sending, stop messaging, stop contacting, stop these texts, stop these messages, stop the texts, ' +
    'stop the messages, stop all texts, stop all messages, stop spamming, no more texts, no more messages, no more sms, ' +
    'dont text me, don t text me, do not text me, dont send me, don t send me, do not send me, ' +
    'dont message me, don t message me, do not message me, dont contact me, don t contact me, do not contact me, ' +
    'unsubscribe me, want to unsubscribe, like to unsubscribe, opt me out, want to opt out, like to opt out, take me off, ' +
    'remove me, remove my number, delete my number, leave me alone, quit texting',
  // German
  'keine sms mehr, keine nachrichten mehr, keine nachricht mehr, keine texte mehr, keine werbung mehr, keine werbung, ' +
    'keine weiteren sms, keine weiteren nachrichten, keine weitere sms, nicht mehr schreiben, nicht mehr anschreiben, ' +
    'nichts mehr schicken, nichts mehr senden, nicht mehr kontaktieren, nicht mehr schicken, hort auf, ' +
    'horen sie auf, mich abmelden, melden sie mich ab, meldet mich ab, mochte mich abmelden, ' +
    'nummer loschen, loschen sie meine nummer, loschen sie mich, aus dem verteiler, vom verteiler, lasst mich in ruhe, ' +
    'lassen sie mich in ruhe, sms abbestellen, sms stoppen',
  // French
  'plus de sms, plus de messages, plus de message, plus de texto, plus de textos, plus recevoir, plus m ecrire, ' +
    'ne m envoyez plus, ne m ecrivez plus, ne me contactez plus, arretez de m envoyer, arretez de m ecrire, ' +
    'arretez les sms, arretez vos sms, arretez les messages, arretez vos messages, desabonnez moi, desinscrivez moi, ' +
    'me desabonner, me desinscrire, supprimez mon numero, retirez moi, retirez mon numero',
  // Italian
  'basta sms, basta messaggi, niente sms, niente messaggi, niente piu sms, niente piu messaggi, piu sms, ' +
    'non voglio piu ricevere, non voglio piu sms, non voglio piu messaggi, non inviatemi, non mandatemi, non mi scrivete, non scrivetemi, non contattatemi, ' +
    'smettete di, smettetela, disiscrivetemi, cancellatemi, cancellate il mio numero, rimuovete il mio numero',
  // Spanish
  'no mas mensajes, no mas sms, no mas textos, no quiero mas mensajes, no quiero recibir, no me envien, no me envie, ' +
    'no me manden, no me mande, no me escriban, no me escriba, no me contacten, dejen de enviar, deje de enviar, ' +
    'dejen de escribir, dejen de mandar, denme de baja, deme de baja, darme de baja, quiero la baja, borren mi numero, ' +
    'eliminen mi numero, cancelar suscripcion',
  // Portuguese
  'nao quero mais sms, nao quero mais mensagens, nao quero mais receber, nao quero receber, nao me mande, nao me mandem, nao me envie, nao me enviem, nao enviem mais, ' +
    'nao envie mais, nao mande mais, nao mandem mais, parem de enviar, pare de enviar, parem de mandar, pare de mandar, ' +
    'sem mais mensagens, chega de sms, chega de mensagens, descadastrem, me descadastre, me remova, me removam, ' +
    'remova meu numero, remover meu numero, retirem o meu numero, cancelar inscricao',
  // Dutch
  'geen sms meer, geen smsjes meer, geen berichten meer, geen sms en meer, geen reclame meer, niet meer sturen, ' +
    'niet meer smsen, stop met sturen, stop met smsen, wil me afmelden, me uitschrijven, schrijf me uit, meld me af, verwijder mijn nummer, ' +
    'verwijder mij',
  // Polish
  'prosze nie pisac, nie chce wiecej sms, nie chce wiecej wiadomosci, nie chce otrzymywac, nie chce sms, nie wysylac, nie wysylajcie, nie piszcie, ' +
    'prosze wypisac, wypiszcie mnie, prosze usunac moj numer, usuncie moj numer, prosze przestac',
  // Swedish, Danish, Norwegian
  'inga fler sms, inga fler meddelanden, inga mer sms, sluta skicka, sluta smsa, skicka inte mer, avregistrera mig, ' +
    'ta bort mitt nummer, ta bort mig, ikke flere sms, ingen flere sms, ikke flere beskeder, ikke flere meldinger, ' +
    'stop med at sende, slutt a sende, afmeld mig, meld meg av',
  // Turkish
  'sms istemiyorum, mesaj istemiyorum, mesaj atmayin, sms atmayin, mesaj gondermeyin, sms gondermeyin, ' +
    'beni listeden cikarin, abonelikten cik, numarami silin, artik mesaj',
  // Arabic
  'لا ترسل, لا ترسلوا, الغاء الاشتراك, إلغاء الاشتراك, لا أريد رسائل, لا اريد رسائل, توقفوا عن',
].flatMap((phrases) => phrases.split(', '))

/** Phrases of writings without spaces between words. */
const PHRASES_WITHOUT_SPACES =
  '退订 退訂 取消订阅 取消訂閱 不要再发 不要再發 别再发 別再發 停止发送 停止發送 勿再发 勿再發 配信停止 送らないで'.split(
    ' ',
  )

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
const OTHERS = new Set([...OTHER_WORDS.split(' '), ...ALL_LANGUAGES.out].map(fold))

function isLimited(rest: string): boolean {
  if (WHOM.test(rest)) return false
  const [next = ''] = rest.split(' ')
  return LIMITS.has(next) || /^\p{N}/u.test(next)
}

const hasPhrase = (words: string): boolean =>
  FOLDED.some((phrase) => {
    const at = words.indexOf(phrase)
    return at >= 0 && !isLimited(words.slice(at + phrase.length))
  }) || PHRASES_WITHOUT_SPACES.some((phrase) => words.includes(phrase))

/** A text without words of courtesy, each run of equal words once. */
function dropCourtesies(words: string): string {
  const all = words
    .trim()
    .split(' ')
    .filter((word) => !COURTESIES.has(word))
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
  const folded = foldWords(own)
  const word = dropCourtesies(folded)
  const isWord = OTHERS.has(word) || words.out.some((one) => fold(one) === word)
  return (word !== '' && isWord) || hasPhrase(folded)
}
