import type { GivenFile } from '../../gateway/messages/send/prepare-media.ts'
import { badRequest } from '../../platform/api-errors.ts'
import { cleanText } from '../../platform/tools/clean-text.ts'
import { joinLines, removeQuotes } from '../../portable/remove-quotes.ts'
import { checkCharsets } from './charsets.ts'
import { cutPages, readHtml } from './html-text.ts'
import { type MailFile, MailParser, type MailText } from './mail-parts.ts'
import { removeDirectionMarks, removeFillers } from './remove-fillers.ts'

/** A mail. A hook (incoming webhook) reads `fields` as its body. */
export interface ReceivedMail {
  /** The Message-ID; '' without one. */
  readonly id: string
  readonly fields: {
    /** Subject and body together, for presets of hooks that expect one text. */
    readonly text: string
    readonly subject: string
    readonly body: string
    readonly from: string
    /** Names of `pictures`. */
    readonly attachments: readonly string[]
  }
  /** Attached pictures, without those that the mail's HTML shows among its words, such as logos. */
  readonly pictures: readonly GivenFile[]
  /** Words of the text that only say that the mail has `pictures`; '' if it has others, too. */
  readonly mention: string
}

/** Maximum characters that are read of a body. A text message has at most 1,600. */
const MAX_BODY = 20_000

/** Parts that are no files: signatures of mails, other forms of the text, and the data of a bounce. */
const NO_FILE =
  /^(?:application\/(?:pgp|(?:x-)?pkcs7)-signature|text\/(?:calendar|rfc822-headers)|message\/(?:delivery-status|disposition-notification))$/

/**
 * Reads a mail and its pictures; an answer without quotes and signature, too. Throws 400 if it is
 * malformed, too large or empty, or not valid in its charset.
 */
export async function readMail(given: Buffer): Promise<ReceivedMail> {
  checkLines(given)
  const bytes = declareWords(given)
  const limits = { maxHeadersSize: MAX_HEADERS, maxNestingDepth: 20, maxRfc822NestingDepth: 0 }
  const parser = new MailParser(limits)
  const mail = await parser.parse(bytes).catch(() => {
    throw badRequest('The mail cannot be read.')
  })
  checkCharsets(parser.root, bytes)
  const whole = parser.texts.map(({ html }) => html)
  const pages = cutPages(whole)
  const texts = parser.texts.map(({ plain }, i) => ({ plain, html: pages[i]! }))
  const files = parser.files.filter(({ mimeType }) => !NO_FILE.test(mimeType))
  const isOfPictures = !VISIBLE.test(chooseMailText(texts))
  const attached = isOfPictures ? files : leaveOutShown(files, whole.join('\n'), pages)
  const pictures: GivenFile[] = attached
    .filter(isPicture)
    .map(({ filename, bytes }) => ({ name: cleanText(filename ?? 'picture'), bytes }))
  const mention = describeLeftOut(pictures.length, 'picture')
  const own =
    (isReplyMail(mail) && removeQuotes(chooseMailText(texts, true))) ||
    joinLines(chooseMailText(texts).split('\n'))
  const body = [own, mention, describeLeftOut(attached.length - pictures.length, 'file')]
  const fields = {
    subject: removeDirectionMarks(mail.subject?.trim() ?? ''),
    body: body.filter(Boolean).join('\n'),
    from: mail.from?.address ?? '',
    attachments: pictures.map(({ name }) => name),
  }
  // some tools write the whole text as the subject, too
  const text = [own === fields.subject ? '' : fields.subject, fields.body]
    .filter(Boolean)
    .join('\n')
  if (text === '') throw badRequest('The mail has no text.')
  return {
    id: mail.messageId ?? '',
    fields: { text, ...fields },
    pictures,
    mention,
  }
}

const isPicture = ({ mimeType }: MailFile) => mimeType.startsWith('image/')

/**
 * Files without the pictures of the pages of a mail: those that they name, and unnamed ones that belong to
 * them. `html`: the pages before they were cut.
 */
function leaveOutShown(files: readonly MailFile[], html: string, pages: readonly string[]) {
  if (html === '') return [...files]
  const sources = files.some(({ location }) => location !== '')
    ? new Set(pages.flatMap((page) => [...readHtml(page).sources]))
    : new Set<string>()
  const lower = html.toLowerCase()
  const isNamed = ({ id, location }: MailFile) =>
    (id !== '' &&
      [id, encodeURIComponent(id)].some((name) => lower.includes(`cid:${name.toLowerCase()}`))) ||
    (location !== '' && sources.has(location))
  const isShown = (file: MailFile) =>
    isPicture(file) && (isNamed(file) || (file.isRelated && file.disposition !== 'attachment'))
  return files.filter((file) => !isShown(file))
}

/** A plain part of fewer characters that speaks of HTML only says that the mail has another part. */
const STUB_CHARACTERS = 300
const VISIBLE = /[^\p{C}\p{Z}]/u

/** The text of a mail: each part as plain text, if it has some, else what its page shows. */
function chooseMailText(texts: readonly MailText[], leavesOutQuotes = false): string {
  const chosen = texts.map(({ plain, html }) => {
    const text = removeFillers(plain)
    const isStub = html !== '' && text.length < STUB_CHARACTERS && /\bhtml\b/i.test(text)
    return VISIBLE.test(text) && !isStub ? text : readHtml(html, leavesOutQuotes).text
  })
  return removeDirectionMarks(chosen.join('\n').slice(0, MAX_BODY))
}

const MAX_HEADERS = 64 << 10
/** Encoded words whose charset mutt did not know, without a locale: most systems write UTF-8. RFC 1428 */
const UNDECLARED_WORD = /=\?(?:unknown-8bit|x-unknown)(?=[?*])/gi

function declareWords(bytes: Buffer): Buffer {
  const start = bytes.toString('latin1', 0, MAX_HEADERS)
  const declared = start.replace(UNDECLARED_WORD, '=?utf-8')
  if (declared === start) return bytes
  return Buffer.concat([Buffer.from(declared, 'latin1'), bytes.subarray(start.length)])
}

const describeLeftOut = (count: number, word: string) =>
  count === 0 ? '' : `[${count} ${word}${count === 1 ? '' : 's'}]`

/** With more than FREE_LINES lines, a mail must have MIN_AVERAGE_BYTES per line: a line takes 10 µs. */
const [FREE_LINES, MIN_AVERAGE_BYTES] = [2_000, 40]
/** Maximum lines that begin with `--`, as MIME boundaries do: each is compared with all boundaries. */
const MAX_BOUNDARIES = 200
const [NEWLINE, DASHES] = [10, Buffer.from('\n--')]

function checkLines(bytes: Buffer): void {
  const count = (what: Buffer | number) => {
    let found = 0
    for (let at = bytes.indexOf(what); at >= 0; at = bytes.indexOf(what, at + 1)) found++
    return found
  }
  const lines = count(NEWLINE)
  if (lines > FREE_LINES && bytes.length < lines * MIN_AVERAGE_BYTES)
    throw badRequest('The mail has too many lines.')
  if (count(DASHES) > MAX_BOUNDARIES) throw badRequest('The mail has too many parts.')
}

/** The facts in a mail's headers. */
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
function isReplyMail({ subject = '', headers }: Headers): boolean {
  const isAutomatic = headers.some(
    ({ key, value }) =>
      (key === 'auto-submitted' && !/^no\b/i.test(value)) ||
      (key === 'precedence' && /^(?:bulk|list|junk)\b/i.test(value)),
  )
  const isThread = headers.some(({ key }) => key === 'in-reply-to' || key === 'references')
  const start = subject.trim()
  return REPLY.test(start) && !isAutomatic && (isThread || !SHORT_REPLY.test(start))
}
