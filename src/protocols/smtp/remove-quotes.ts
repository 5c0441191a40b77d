/** What a mail's headers say about it. */
interface Headers {
  readonly subject?: string
  readonly headers: readonly { readonly key: string; readonly value: string }[]
}

/** `Re:` in the languages of mail programs, also as `Re[2]:` and `RE (2):`. */
const REPLY =
  /^(?:re|aw|antw(?:ort)?|sv|vs|res|rif|r|odp|ynt|bls|vá|atb|ha|απ|回复|回覆|答复|返信|답장) ?(?:\[\d+\]|\(\d+\))? ?[:：]/i

/** Beginnings that machines write, too, such as `HA: node2 is down`. */
const SHORT_REPLY = /^(?:ha|r|rif|res|sv|vs|bls) ?(?:\[\d+\]|\(\d+\))? ?[:：]/i

/**
 * Whether a person answers a mail: by its subject, since Alertmanager and Netdata write `In-Reply-To`, too.
 * A short word in it is enough only in a mail that names the one that it answers. Not if a header says that a
 * program or a mailing list sent it. RFC 3834
 */
export function isReplyMail({ subject = '', headers }: Headers): boolean {
  const isAutomatic = headers.some(
    ({ key, value }) =>
      (key === 'auto-submitted' && !/^no\b/i.test(value)) ||
      (key === 'precedence' && /^(?:bulk|list|junk)\b/i.test(value)),
  )
  const isThread = headers.some(({ key }) => key === 'in-reply-to' || key === 'references')
  const start = subject.trim()
  return REPLY.test(start) && !isAutomatic && (isThread || !SHORT_REPLY.test(start))
}

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
