import Papa from 'papaparse'
import { parseJson } from '../../platform/tools/json.ts'

/** How many bytes of a file are examined, as in PocketBase's MIME library. */
export const HEAD_BYTES = 3072

/** Whether a file is of a certain kind. `head`: up to HEAD_BYTES of its bytes, one character per byte. */
type TextTest = (head: string) => boolean
type TextKind = readonly [type: string, extension: string, test: RegExp | TextTest]

/** HTML, by its first tag. https://mimesniff.spec.whatwg.org */
const HTML =
  /^(?:\xef\xbb\xbf)?[\t\n\f\r ]*<(?:!DOCTYPE HTML|HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|BODY|BR|P|!--)[\t\n\f\r >]/i
const XML = /^(?:\xef\xbb\xbf)?[\t\n\f\r ]*<\?xml[\t\n\f\r >]/i

const COMMENTS = /^\s*(?:<!--.*?-->\s*)*/s
const SVG_TAG = /^<svg\s[^>]*?xmlns\s*=\s*["']?http:\/\/www\.w3\.org\/2000\/svg["'\s>]/
const isSvg: TextTest = (head) =>
  SVG_TAG.test(head.replace(COMMENTS, '')) || (/^\s*<\?xml\s/.test(head) && head.includes('<svg'))

const makeXmlTest =
  (tag: RegExp, namespace = ''): TextTest =>
  (head) => {
    const near = head.trimStart().slice(0, 512)
    return XML.test(head) && tag.test(near) && near.includes(namespace)
  }

const makeScriptPattern = (programs: string) =>
  new RegExp(
    `^#![ \\t]*(?:/bin/|/usr/bin/|/usr/local/bin/|/usr/bin/env[ \\t]+(?:-S[ \\t]+)?)(?:${programs})(?:\\s|$)`,
  )

const isWholeFile = (head: string) => head.length < HEAD_BYTES
const keepWholeLines = (head: string) =>
  isWholeFile(head) || head.lastIndexOf('\n') <= 0 ? head : head.slice(0, head.lastIndexOf('\n'))

const isParsableJson = (text: string) => parseJson(text) !== undefined

const JSON_WORDS =
  /^(?:[\s{}[\],:]|"(?:[^"\\\x00-\x1f]|\\.)*"|(?:-?\d[\d.eE+-]*|true|false|null)(?=[\s,\]}]))*/
/** A file cut off at HEAD_BYTES counts as JSON if it has only JSON tokens up to there. */
const isJson: TextTest = (head) => {
  if (!/^[\t\n\f\r ]*[{[]/.test(head)) return false
  return isWholeFile(head)
    ? isParsableJson(head)
    : /^(?:"[^\x00-\x1f]*|[\w.+-]{0,400})$/.test(head.replace(JSON_WORDS, ''))
}

const makeMemberTest = (pattern: string) => {
  const isThere = new RegExp(pattern)
  return (head: string) => isJson(head) && isThere.test(head)
}
/** Regex for the start of a JSON object up to a member's name. Nothing nested may precede the member. */
const MEMBER = String.raw`^\s*\{(?:[^{}[\]]*,)?\s*`
const GEO_TYPES = 'Feature(?:Collection)?|(?:Multi)?(?:Point|LineString|Polygon)|GeometryCollection'

const isLinesOfJson: TextTest = (head) => {
  const whole = keepWholeLines(head)
  const lines = whole.trimEnd().split('\n')
  const isMany = lines.length > 1 || whole !== head
  return isMany && lines.every(isParsableJson) && lines.some((line) => /^\s*[{[]/.test(line))
}

/** Returns a test for tables: each line has the same number of cells, at least 2. Needs 2 lines, reads 10. */
const makeTableTest =
  (delimiter: string): TextTest =>
  (head) => {
    const { data } = Papa.parse<string[]>(keepWholeLines(head), {
      delimiter,
      comments: '#',
      skipEmptyLines: true,
    })
    const [first = [], ...others] = data.slice(0, 10)
    return (
      first.length > 1 && others.length > 0 && others.every(({ length }) => length === first.length)
    )
  }

const STAMP = String.raw`(?:[01]?\d|2[0-3]):[0-5]\d:[0-5]\d,\d{3}`
const MAIL_HEADER =
  /^(?:From|To|Date|Subject|Received|Relay-Version|Content-Type|Content-Transfer-Encoding|[Cc]c|Delivered-To|Return-Path): /m

const isMail: TextTest = (head) => {
  const [first = '', ...others] = head.split('\n', 21)
  return MAIL_HEADER.test(first) && others.some((line) => MAIL_HEADER.test(line))
}

/** Kinds of text, in the order of the tests. PocketBase: mimetype's internal/magic/text.go, text_csv.go */
const TEXTS: readonly TextKind[] = [
  ['image/svg+xml', '.svg', isSvg],
  ['text/html', '.html', HTML],
  ['application/rss+xml', '.rss', makeXmlTest(/<rss[\s>]/)],
  ['application/atom+xml', '.atom', makeXmlTest(/<feed\s/, 'xmlns="http://www.w3.org/2005/Atom"')],
  ['application/vnd.google-earth.kml+xml', '.kml', makeXmlTest(/<kml\s/, 'xmlns="http://')],
  ['application/gpx+xml', '.gpx', makeXmlTest(/<gpx[\s>]/)],
  ['application/xhtml+xml', '.html', makeXmlTest(/<!DOCTYPE\s+HTML|<HTML\s+XMLNS=/i)],
  ['text/xml', '.xml', XML],
  ['text/x-php', '.php', /^<\?(?:php|[\n\r ])|^#![ \t]*\/\S*(?: |\/)php/i],
  ['text/javascript', '.js', makeScriptPattern('node|nodejs')],
  ['text/x-python', '.py', makeScriptPattern('python[\\d.]*')],
  ['application/x-ndjson', '.ndjson', isLinesOfJson],
  [
    'application/geo+json',
    '.geojson',
    makeMemberTest(`${MEMBER}"type"\\s*:\\s*"(?:${GEO_TYPES})"`),
  ],
  ['application/json', '.json', isJson],
  ['text/rtf', '.rtf', /^\{\\rtf/],
  ['application/x-subrip', '.srt', new RegExp(`^1\\r?\\n${STAMP} --> ${STAMP}\\r?\\n.`)],
  ['text/csv', '.csv', makeTableTest(',')],
  ['text/tab-separated-values', '.tsv', makeTableTest('\t')],
  ['text/vcard', '.vcf', /^BEGIN:VCARD\r?\n/i],
  ['text/calendar', '.ics', /^BEGIN:VCALENDAR\r?\n/i],
  ['text/vtt', '.vtt', /^(?:\xef\xbb\xbf)?WEBVTT(?:\s|$)/],
  ['text/x-shellscript', '.sh', makeScriptPattern('(?:ba|c|da|k|tc|z)?sh')],
  ['message/rfc822', '.eml', isMail],
  ['text/plain', '.txt', /^/],
]

export const findTextKind = (head: string): TextKind =>
  TEXTS.find(([, , test]) => (test instanceof RegExp ? test.test(head) : test(head)))!
