import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import PostalMime from 'postal-mime'
import { badRequest } from '../../errors.ts'
import { checkCharsets, type MimePart } from './charsets.ts'

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
  }
}

/** Maximum characters that are read of a plain and of an HTML body. A text message has at most 1,600. */
const [MAX_BODY, MAX_HTML] = [20_000, 128 << 10]

/**
 * Reads a mail without its quotes, signature and files. Throws 400 if it is malformed, too large or
 * empty, or not valid in its charset.
 */
export async function readMail(bytes: Buffer): Promise<Mail> {
  checkLines(bytes)
  const limits = { maxHeadersSize: 64 << 10, maxNestingDepth: 20, maxRfc822NestingDepth: 0 }
  const parser = new PostalMime(limits)
  const mail = await parser.parse(bytes).catch(() => {
    throw badRequest('The mail cannot be read.')
  })
  checkCharsets((parser as unknown as { readonly root: MimePart }).root, bytes)
  const written = mail.text?.trim() ? mail.text : textOfHtml((mail.html ?? '').slice(0, MAX_HTML))
  const files = mail.attachments.filter(({ related }) => !related)
  const pictures = files.filter(({ mimeType }) => mimeType.startsWith('image/')).length
  const own = withoutQuotes(written.slice(0, MAX_BODY))
  const body = [own, leftOut(pictures, 'picture'), leftOut(files.length - pictures, 'file')]
  const fields = {
    subject: mail.subject?.trim() ?? '',
    body: body.filter(Boolean).join('\n'),
    from: mail.from?.address ?? '',
  }
  // some tools write the whole text as the subject, too
  const text = [own === fields.subject ? '' : fields.subject, fields.body].filter(Boolean).join('\n')
  if (text === '') throw badRequest('The mail has no text.')
  return { id: mail.messageId ?? '', fields: { text, ...fields } }
}

const leftOut = (count: number, word: string) =>
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

/** The line before a signature (RFC 3676, 4.3) or before a mail that Outlook quotes. */
const END = /^(?:-- ?|_{20,}|-{3,} ?(?:Original Message|Ursprüngliche Nachricht) ?-{3,})$/
/** The start of a line such as `On … wrote:`, in several languages. */
const ATTRIBUTION = /^(?:On|Am|Le|El|Il|Op) /

function withoutQuotes(text: string): string {
  const lines = text.replaceAll('\r', '').split('\n')
  const end = lines.findIndex((line) => END.test(line))
  const kept: string[] = []
  for (const line of end < 0 ? lines : lines.slice(0, end)) {
    if (line.startsWith('>')) dropAttribution(kept)
    else kept.push(line.trimEnd())
  }
  dropAttribution(kept)
  return withoutGaps(kept)
}

/** Joins lines. Keeps one of several empty lines. */
const withoutGaps = (lines: readonly string[]) =>
  lines
    .filter((line, i) => line !== '' || lines[i - 1] !== '')
    .join('\n')
    .trim()

/** Removes a last line such as `On … wrote:`, which names a quote's author. A long one takes two lines. */
function dropAttribution(lines: string[]): void {
  while (lines.at(-1) === '') lines.pop()
  const length = [1, 2].find((back) => ATTRIBUTION.test(lines.at(-back) ?? ''))
  if (length && lines.at(-1)!.endsWith(':')) lines.splice(-length)
}

const SKIPPED = new Set(['head', 'style', 'script', 'blockquote', 'template'])
const BLOCKS = new Set(['p', 'div', 'br', 'tr', 'li', 'table', 'h1', 'h2', 'h3', 'h4', 'hr', 'pre'])
const CELLS = new Set(['td', 'th'])

/** The text of HTML, a line for each block and table row. Not recursive: elements may be nested deeply. */
function textOfHtml(html: string): string {
  let text = ''
  const left: (DefaultTreeAdapterTypes.ChildNode | string)[] = [...parse(html).childNodes]
  for (let node = left.shift(); node !== undefined; node = left.pop()) {
    if (typeof node === 'string') text += node
    else if ('value' in node) text += node.value.replace(/\s+/g, ' ')
    else if ('childNodes' in node && !SKIPPED.has(node.nodeName)) {
      const end = BLOCKS.has(node.nodeName) ? '\n' : CELLS.has(node.nodeName) ? ' ' : ''
      left.push(end)
      for (const child of node.childNodes.toReversed()) left.push(child)
      text += end
    }
  }
  return withoutGaps(text.split('\n').map((line) => line.replace(/ +/g, ' ').trim()))
}
