import { dropAttachmentLines } from './attachment-lines.ts'
import { removeQuotes } from './remove-quotes.ts'

/** A received text as it is stored. The subject of an MMS is the first line of its body, too. */
export interface TextWithSubject {
  readonly body: string
  /** The subject of an MMS; possibly without its end. Absent or '' for none. */
  readonly subject?: string | undefined
}

/** Line ends of other systems. */
const LINE_END = /\r\n?|[\u0085\u2028\u2029]/g

/** The words that a person wrote. */
export interface WrittenText {
  readonly subject: string
  readonly words: string
}

/** How lines begin that phones and mail programs add. */
const SIGNATURE_STARTS = [
  '--|—|sent from |get outlook |gesendet (?:von|mit) |envoyé (?:de|depuis) |enviado (?:desde|do) |enviat des ',
  'inviato da |verstuurd vanaf |wysłane z |skickat från |sendt fra |lähetetty |odesláno z |odoslané z |poslano s ',
  'trimis de pe |στάλθηκε από |отправлено (?:с|из) |надіслано з |נשלח מ|مُرسل من |أُرسلت من |تم الإرسال من ',
  '发自|發自|從我的|ส่งจาก |đã gửi từ |dikirim dari |elküldve ',
].join('|')
/** How they end, where the phone is named first. */
const SIGNATURE_ENDS =
  "から送信|에서 보냄|['’](?:u|ü)m?[dt][ae]n gönderildi|r[óő]l küldve|से भेजा गया"
const SIGNATURE = new RegExp(
  `\\n[^\\S\\n]*(?:${SIGNATURE_STARTS}|[^\\n]{0,40}?(?:${SIGNATURE_ENDS})[^\\S\\n]*(?:\\n|$))`,
  'iu',
)

function dropSignature(text: string): string {
  const at = text.search(SIGNATURE)
  return at < 0 ? text : text.slice(0, at)
}

/** Labels of subjects, marks of answered and forwarded messages, and words for no subject. */
const LABELS =
  'subject|subj|betreff|objet|asunto|oggetto|onderwerp|assunto|temat|ämne|emne|aihe|konu|předmět|predmet|tárgy|subiect|θέμα|тема|件名|主题|主題|主旨|제목|الموضوع|נושא'
const MARKS =
  're|aw|antw|sv|vs|fwd?|wg|tr|rv|enc|odp|doorst|vb|vl|ynt|ilt|vá|απ|отв|ответ|回复|回覆|答复|转发|轉寄|返信|転送|회신|전달|رد|השב'
const NONE =
  "no ?subject|(?:kein|ohne) betreff|(?:sans|aucun|pas d['’])\\s?objet|sin asunto|nessun oggetto|senza oggetto|geen onderwerp|sem assunto|(?:brak|bez) tematu|inget ämne|(?:intet|uten) emne|ei aihetta|konu yok|bez předmětu|nincs tárgy|fără subiect|χωρίς θέμα|(?:без|нет) темы|без теми|無題|件名なし|[无無]主[题題旨]|제목 없음|(?:بلا|بدون) موضوع|ללא נושא"
/** Words of phones and networks where a person wrote no subject, or before the words of a person. */
const ADDED = new RegExp(
  `^[\\s([<{«"（【「]*(?:(?:${LABELS})\\s?[:：]|(?:${MARKS})\\s?(?:\\[\\d{1,3}\\]|\\(\\d{1,3}\\))?\\s?[:：]|(?:${NONE})(?![\\p{L}\\p{N}]))[)\\]>}»"）】」]*\\s*`,
  'iu',
)
/** More than any phone adds. */
const MAX_ADDED = 10

function dropAdded(text: string): string {
  let rest = text
  for (let i = 0; i < MAX_ADDED; i++) {
    const next = rest.replace(ADDED, '')
    if (next === rest) break
    rest = next
  }
  return rest
}

/** Lines by which gateways of mails and MMS mention files. */
const MENTION = /^\s*\[\d{1,5} \p{L}{1,20}\]\s*$/u

/** The layout of an MMS, which some networks deliver as text. */
function dropLayout(text: string): string {
  const start = text.search(
    /(?:<\?xml[^<>]{0,100}>\s{0,9})?(?:<!doctype smil[^<>]{0,200}>\s{0,9})?<smil\b/i,
  )
  if (start < 0) return text
  const end = text.toLowerCase().lastIndexOf('</smil>')
  return end < start ? text : text.slice(0, start) + text.slice(end + '</smil>'.length)
}

const dropMentions = (text: string): string =>
  text.includes('[')
    ? text
        .split('\n')
        .filter((line) => !MENTION.test(line))
        .join('\n')
    : text

function readWords(text: string): string {
  const own = dropMentions(dropAttachmentLines(dropLayout(text)))
  // a text that is only a quote is its sender's
  const signed = dropSignature(own)
  const words = (signed.includes('\n') && removeQuotes(signed)) || signed
  return dropAdded(words).trim()
}

/** Subject and words of a text, without what phones, networks and this server add. */
export function readWrittenText({ body, subject = '' }: TextWithSubject): WrittenText {
  const text = body.replace(LINE_END, '\n')
  const isFirstLine = subject !== '' && text.startsWith(subject)
  if (!isFirstLine) return { subject: '', words: readWords(text) }
  const end = text.indexOf('\n', subject.length)
  return { subject: dropAdded(subject).trim(), words: readWords(end < 0 ? '' : text.slice(end)) }
}

/** Maximum characters of a subject that are stored apart from the body. */
export const MAX_RECEIVED_SUBJECT = 255

/** A received text whose body begins with its subject, in one line. */
export function joinSubject(subject: string, words: string): TextWithSubject {
  const line = subject.replace(/\s+/gu, ' ').trim()
  if (line === '') return { body: words }
  const isInWords = words === line || words.startsWith(`${line}\n`)
  const body = isInWords || words === '' ? words || line : `${line}\n${words}`
  return { body, subject: line.slice(0, MAX_RECEIVED_SUBJECT).toWellFormed() }
}
