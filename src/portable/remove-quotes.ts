/** The line before a signature (RFC 3676, 4.3), or before a mail that Outlook and others quote. */
const END = /^(?:--|_{20,}|-{3,} ?\p{L}(?:[^-]|-(?!--)){3,200}-{3,})$/u
/** The first line of a quoted mail's header, and one that must be among the next. */
const FROM = /^\*?(?:From|Von|De|Da|Van|Från|Fra|Od|发件人|寄件者|差出人)\*? ?[:：]\*?\s/
const SENT =
  /^\*?(?:Sent|Date|Gesendet|Datum|Envoyé|Enviad[oa](?: el)?|Fecha|Inviato|Data|Verzonden|Skickat|Sendt|Wysłano|发送时间|寄件日期|送信日時)\*? ?[:：]/
const HEADER_LINES = 6
/** The line that a phone or its mail program adds. */
const PHONE =
  /^(?:(?:Sent from|Von|Gesendet von|Envoyé de|Enviado (?:desde|do)|Inviato da|Verzonden vanaf|Verstuurd vanaf|Skickat från) (?:my|meinem|mon|mi|meu|il mio|mijn|min) .{2,40}|(?:Sent from|Gesendet (?:mit|von)|Envoyé (?:avec|depuis|à partir de)|Enviado desde) (?:Outlook|Mail|Yahoo|Proton|Samsung|der).{0,40}|(?:Get|Téléch\S+|Obtener?|Scarica|Download) Outlook .{2,60}|Outlook für .{2,60})$/i

/** The words of a person who answers, without the quoted mail, a signature, and lines of phones. */
export function removeQuotes(text: string): string {
  const lines = text.replaceAll('\r', '').replaceAll('\u00a0', ' ').split('\n')
  const kept: string[] = []
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!.trimEnd()
    const isHeader =
      FROM.test(line) && lines.slice(i + 1, i + HEADER_LINES).some((next) => SENT.test(next))
    if (END.test(line) || isHeader) break
    const { count, isQuoteMarked } = readAttribution(lines, i)
    if (count > 0 && !isQuoteMarked) break
    if (count > 0) i += count - 1
    else if (!line.startsWith('>') && !PHONE.test(line)) kept.push(line)
  }
  return joinLines(kept)
}

/** The start of a line such as `On … wrote:`, and its verb, in several languages. */
const ON = /^(?:On|Am|Le|El|Il|Op|Den|Em|W dniu|Dnia) /
const WROTE =
  /wrote|schrieb|geschrieben|a écrit|escribió|ha scritto|schreef|skrev|escreveu|napisał|написал|写道|寫道|書きました/
const MAX_LINES = 3

/** How many lines from `start` say who wrote what is quoted below, and whether `>` marks the quote. */
function readAttribution(lines: readonly string[], start: number) {
  for (let count = 1; count <= MAX_LINES && lines[start + count - 1]?.trim(); count++) {
    const said = lines
      .slice(start, start + count)
      .join(' ')
      .trimEnd()
    if (!/[:：]$/.test(said)) continue
    let next = start + count
    while (lines[next]?.trim() === '') next++
    const isQuoteMarked = lines[next]?.startsWith('>') === true
    const isDated =
      WROTE.test(said) && /\d/.test(said) && (ON.test(said) || (count === 1 && said.includes('@')))
    if (isDated || (isQuoteMarked && ON.test(said))) return { count, isQuoteMarked }
    break
  }
  return { count: 0 }
}

/** Joins lines. Keeps one of several empty lines. */
export const joinLines = (lines: readonly string[]): string =>
  lines
    .map((line) => line.trimEnd())
    .filter((line, i, all) => line !== '' || all[i - 1] !== '')
    .join('\n')
    .trim()
