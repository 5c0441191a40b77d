import { isAscii, isUtf8 } from 'node:buffer'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import PostalMime, { type Email } from 'postal-mime'
import type { GivenFile } from '../../gateway/messages/send/prepare-media.ts'
import { badRequest } from '../../platform/api-errors.ts'
import { cleanText } from '../../platform/tools/clean-text.ts'
import { joinLines, removeQuotes } from '../../portable/remove-quotes.ts'
import { checkCharsets, type MimePart } from './charsets.ts'
import { isReplyMail } from './reply-mail.ts'

/** A mail. A hook (incoming webhook) reads `fields` as its body. */
export interface Mail {
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
  /** Attached pictures, but those that the mail shows inline, such as logos. */
  readonly pictures: readonly GivenFile[]
  /** Words of the text that only say that the mail has `pictures`; '' if it has others, too. */
  readonly mention: string
}

/** Maximum characters that are read of a plain and of an HTML body. A text message has at most 1,600. */
const [MAX_BODY, MAX_HTML] = [20_000, 128 << 10]

/** Parts that are no files: signatures of mails, other forms of the text, and the data of a bounce. */
const NO_FILE =
  /^(?:application\/(?:pgp|(?:x-)?pkcs7)-signature|text\/(?:calendar|rfc822-headers)|message\/(?:delivery-status|disposition-notification))$/

/**
 * Reads a mail and its pictures; an answer without quotes and signature, too. Throws 400 if it is
 * malformed, too large or empty, or not valid in its charset.
 */
export async function readMail(given: Buffer): Promise<Mail> {
  checkLines(given)
  const bytes = fixCharset(given)
  const limits = { maxHeadersSize: 64 << 10, maxNestingDepth: 20, maxRfc822NestingDepth: 0 }
  const parser = new PostalMime(limits)
  const mail = await parser.parse(bytes).catch(() => {
    throw badRequest('The mail cannot be read.')
  })
  checkCharsets((parser as unknown as { readonly root: MimePart }).root, bytes)
  const files = mail.attachments.filter(
    ({ related, mimeType }) => !related && !NO_FILE.test(mimeType),
  )
  const all = files.filter(({ mimeType }) => mimeType.startsWith('image/'))
  const pictures: GivenFile[] = []
  for (const { filename, content, disposition } of all)
    if (disposition !== 'inline' && content instanceof ArrayBuffer)
      pictures.push({ name: cleanText(filename ?? 'picture'), bytes: Buffer.from(content) })
  const mention = describeLeftOut(all.length, 'picture')
  const own =
    (isReplyMail(mail) && removeQuotes(chooseMailText(mail, true))) ||
    joinLines(chooseMailText(mail).split('\n'))
  const body = [own, mention, describeLeftOut(files.length - all.length, 'file')]
  const fields = {
    subject: mail.subject?.trim() ?? '',
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
    mention: pictures.length === all.length ? mention : '',
  }
}

/** A plain part of fewer characters that speaks of HTML only says that the mail has another part. */
const STUB_CHARACTERS = 300
const VISIBLE = /[^\p{C}\p{Z}]/u

function chooseMailText({ text = '', html = '' }: Email, leavesOutQuotes = false): string {
  const isStub = html !== '' && text.length < STUB_CHARACTERS && /\bhtml\b/i.test(text)
  const isPlain = VISIBLE.test(text) && !isStub
  return (isPlain ? text : readHtmlText(html.slice(0, MAX_HTML), leavesOutQuotes)).slice(
    0,
    MAX_BODY,
  )
}

/** Cron on a machine without a locale declares ASCII for texts in UTF-8. */
function fixCharset(bytes: Buffer): Buffer {
  if (isAscii(bytes) || !isUtf8(bytes)) return bytes
  return Buffer.from(bytes.toString('latin1').replace(ASCII_CHARSET, '$1utf-8'), 'latin1')
}
const ASCII_CHARSET = /(charset="?)(?:us-ascii|ansi_x3\.4-1968)/gi

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

const SKIPPED = new Set(['head', 'style', 'script', 'template'])
/** Quotes and signatures by Gmail, Thunderbird and others. */
const QUOTE =
  /^(?:gmail_(?:quote|signature)|moz-(?:signature|cite-prefix)|yahoo_quoted|protonmail_)/
const BLOCKS = new Set([
  'p',
  'div',
  'blockquote',
  'br',
  'tr',
  'li',
  'table',
  'h1',
  'h2',
  'h3',
  'h4',
  'hr',
  'pre',
])
const CELLS = new Set(['td', 'th'])

/** The text of HTML, a line for each block and table row. Not recursive: elements may be nested deeply. */
function readHtmlText(html: string, leavesOutQuotes: boolean): string {
  let text = ''
  const isSkipped = ({ nodeName, attrs }: DefaultTreeAdapterTypes.Element) =>
    SKIPPED.has(nodeName) ||
    (leavesOutQuotes &&
      (nodeName === 'blockquote' ||
        attrs.some(({ name, value }) => name === 'class' && QUOTE.test(value))))
  const left: (DefaultTreeAdapterTypes.ChildNode | string)[] = [...parse(html).childNodes]
  for (let node = left.shift(); node !== undefined; node = left.pop()) {
    if (typeof node === 'string') text += node
    else if ('value' in node) text += node.value.replace(/\s+/g, ' ')
    else if ('childNodes' in node && !('attrs' in node && isSkipped(node))) {
      const end = BLOCKS.has(node.nodeName) ? '\n' : CELLS.has(node.nodeName) ? ' ' : ''
      if (node.nodeName !== 'br') left.push(end)
      for (const child of node.childNodes.toReversed()) left.push(child)
      text += end
    }
  }
  return joinLines(text.split('\n').map((line) => line.replace(/ +/g, ' ').trim()))
}
