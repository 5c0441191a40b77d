import { isTable } from './csv-shape.ts'
import { JSON_QUERIES, JsonShape } from './json-shape.ts'
import { begins, type ContentKind, HEAD_BYTES, type Test } from './kind.ts'
import { MarkupReader } from './markup.ts'
import { isText } from './text-test.ts'

const trimStart = (head: string) => head.replace(/^[\t\n\f\r ]+/, '')
const lineOf = (head: string) => head.split('\n', 1)[0]!.replace(/\r$/, '')

/** Begins with one of these in any case, and goes on. */
const beginsAnyCase =
  (...signatures: readonly string[]): Test =>
  (head) =>
    signatures.some((one) => head.length > one.length && head.slice(0, one.length).toUpperCase() === one)

/** The first tag is one of these. https://mimesniff.spec.whatwg.org */
const firstTag = (...tags: readonly string[]): Test => {
  const pattern = new RegExp(`^(?:\xef\xbb\xbf)?[\\t\\n\\f\\r ]*<(?:${tags.join('|')})[\\t\\n\\f\\r >]`, 'i')
  return (head) => pattern.test(head)
}
const isHtml = firstTag(
  ...['!DOCTYPE HTML', 'HTML', 'HEAD', 'SCRIPT', 'IFRAME', 'H1', 'DIV', 'FONT', 'TABLE'],
  ...['A', 'STYLE', 'TITLE', 'B', 'BODY', 'BR', 'P', '!--'],
)

const SVG = 'http://www.w3.org/2000/svg'
function isBareSvg(head: string): boolean {
  const reader = new MarkupReader(head)
  reader.skipSpace()
  while (reader.skipComment());
  if (!reader.rest.startsWith('<svg')) return false
  for (;;) {
    const { name, value, more } = reader.attribute()
    if (name === 'xmlns' && value === SVG) return true
    if (!more) return false
  }
}

function isDeclaredSvg(head: string): boolean {
  const reader = new MarkupReader(head)
  reader.skipSpace()
  if (!reader.rest.startsWith('<?xml')) return false
  for (;;) {
    const { name, more } = reader.attribute()
    if (name === 'version') return reader.rest.includes('<svg')
    if (!more) return false
  }
}

/** An XML document with this tag near its beginning and, behind it, one of these namespaces. */
const xml = (
  type: string,
  extension: string,
  tag: string,
  ...namespaces: readonly string[]
): ContentKind => ({
  type,
  extension,
  test(head) {
    const near = trimStart(head).slice(0, 512)
    if (namespaces.length === 0) return near.indexOf(tag) > 0
    if (tag === '') return namespaces.some((one) => near.indexOf(one) > 0)
    const at = near.indexOf(tag)
    return at >= 0 && namespaces.some((one) => at < near.indexOf(one))
  },
})

const KML = [
  'www.opengis.net/kml/2.2',
  'earth.google.com/kml/2.0',
  'earth.google.com/kml/2.1',
  'earth.google.com/kml/2.2',
]
const GML = ['gml', 'gml/3.2', 'gml/3.3/exr']

const isXhtml: Test = (head) => {
  const near = head.slice(0, 1024)
  return /<!DOCTYPE[\t\n\f\r ]+HTML|<HTML[\t\n\f\r ]+XMLNS=/i.test(near)
}

/** Kinds of XML. */
const XML_KINDS: readonly ContentKind[] = [
  { ...xml('application/rss+xml', '.rss', '<rss'), aliases: ['text/rss'] },
  xml('application/atom+xml', '.atom', '<feed', 'xmlns="http://www.w3.org/2005/Atom"'),
  xml('model/x3d+xml', '.x3d', '<X3D', 'xmlns:xsd="http://www.w3.org/2001/XMLSchema-instance"'),
  xml('application/vnd.google-earth.kml+xml', '.kml', '<kml', ...KML.map((path) => `xmlns="http://${path}"`)),
  xml('application/x-xliff+xml', '.xlf', '<xliff', 'xmlns="urn:oasis:names:tc:xliff:document:1.2"'),
  xml('model/vnd.collada+xml', '.dae', '<COLLADA', 'xmlns="http://www.collada.org/2005/11/COLLADASchema"'),
  xml('application/gml+xml', '.gml', '', ...GML.map((path) => `xmlns:gml="http://www.opengis.net/${path}"`)),
  xml('application/gpx+xml', '.gpx', '<gpx', 'xmlns="http://www.topografix.com/GPX/1/1"'),
  xml(
    'application/vnd.garmin.tcx+xml',
    '.tcx',
    '<TrainingCenterDatabase',
    'xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"',
  ),
  xml('application/x-amf', '.amf', '<amf'),
  xml(
    'application/vnd.ms-package.3dmanufacturing-3dmodel+xml',
    '.3mf',
    '<model',
    'xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"',
  ),
  xml('application/vnd.adobe.xfdf', '.xfdf', '<xfdf', 'xmlns="http://ns.adobe.com/xfdf/"'),
  xml('application/owl+xml', '.owl', '<Ontology', 'xmlns="http://www.w3.org/2002/07/owl#"'),
  { type: 'application/xhtml+xml', extension: '.html', test: isXhtml },
]

/** A script that names its program in the first line. */
const script = (programs: readonly string[], { wholeWord = false } = {}): Test => {
  const space = '[\\t\\n\\f\\r ]'
  const paths = programs.join('|')
  // of whole words, spaces must be as they are in the list
  const named = new RegExp(
    wholeWord ? `^(?:${paths})(?:${space}|$)` : `^(?:${paths.replaceAll(' ', `${space}+`)})`,
  )
  return (head) => {
    const line = lineOf(head)
    return line.startsWith('#!') && named.test(trimStart(line.slice(2)))
  }
}
const byEnv = (name: string) => [`/usr/bin/env ${name}`, `/usr/bin/env -S ${name}`]
const inBin = (name: string) => [`/usr/bin/${name}`, `/usr/local/bin/${name}`, ...byEnv(name)]

const isPhpPage = beginsAnyCase('<?PHP', '<?\n', '<?\r', '<? ')
const isPhpScript = script(inBin('php'))
const isJs = script([
  ...['/bin/node', '/usr/bin/node', '/bin/nodejs', '/usr/bin/nodejs'],
  ...byEnv('node'),
  ...byEnv('nodejs'),
])
const isPerl = script(['/usr/bin/perl', ...byEnv('perl')], { wholeWord: true })
const isTcl = script(['tcl', 'tclsh', 'wish'].flatMap(inBin))
const isShell = script(
  [
    '/bin/sh',
    ...['bash', 'csh', 'dash', 'ksh', 'tcsh', 'zsh'].flatMap((name) => [
      `/bin/${name}`,
      ...(name === 'bash' || name === 'csh' ? [`/usr/local/bin/${name}`] : []),
      ...byEnv(name),
    ]),
  ],
  { wholeWord: true },
)

const json =
  (query?: keyof typeof JSON_QUERIES): Test =>
  (head) => {
    const first = trimStart(head)[0]
    if (first !== '{' && (first !== '[' || query)) return false
    const shape = new JsonShape(head, query && JSON_QUERIES[query])
    if (!shape.found) return false
    return head.length < HEAD_BYTES ? shape.end === head.length : shape.seen === head.length
  }

const linesOf = (head: string) => {
  const lines = head.split('\n').map((line) => line.replace(/\r$/, ''))
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

const isLinesOfJson: Test = (head) => {
  const lines = linesOf(head)
  const shapes = lines.map((line) => ({ line, shape: new JsonShape(line) }))
  if (shapes.some(({ line, shape }) => shape.seen !== line.length)) return false
  return lines.length > 1 && shapes.some(({ shape }) => shape.first === '{' || shape.first === '[')
}

const STAMP = '(?:[01]?\\d|2[0-3]):[0-5]\\d:[0-5]\\d,\\d{3}'
const CUE = new RegExp(`^(${STAMP}) --> (${STAMP})$`)
const isSubtitles: Test = (head) => {
  const [first, times = '', text] = linesOf(head)
  const [, from = '', to = ''] = CUE.exec(times) ?? []
  return first === '1' && times.length === 29 && from !== '' && from <= to && Boolean(text)
}

const HEADER =
  /^(From: |To: |Date: |Subject: |Received: |Relay-Version: |N?#! rnews|Forward to|Pipe to|Content-Type: |Content-Transfer-Encoding: )/
const HEADER_IN_ANY_CASE = /^(cc|delivered-to|return-path): /i
const isHeader = (line: string) => HEADER.test(line) || HEADER_IN_ANY_CASE.test(line)
const isMail: Test = (head) => {
  const [first, ...others] = head.split('\n', 21)
  return isHeader(first!) && others.some(isHeader)
}

const netpbm =
  (...marks: readonly string[]): Test =>
  (head) => {
    if (!marks.some((mark) => head.startsWith(`${mark}\n`))) return false
    const sizes = linesOf(head.slice(3)).find((line) => !line.startsWith('#') && trimStart(line) !== '') ?? ''
    const [width, height] = trimStart(sizes).split(/[\t\n\f\r ]+/)
    return Number(width) > 0 && Number(height) > 0
  }

const isPam: Test = (head) => {
  if (!head.startsWith('P7\n')) return false
  const lines = linesOf(head)
  const end = lines.findIndex((line) => line.startsWith('ENDHDR'))
  if (end < 0 || end >= 128) return false
  return ['WIDTH ', 'HEIGHT ', 'DEPTH ', 'MAXVAL '].every((key) =>
    lines.slice(0, end).some((line) => line.startsWith(key)),
  )
}

/** Without the last line if the head may cut it. */
const wholeLines = (head: string) =>
  head.length < HEAD_BYTES || head.lastIndexOf('\n') <= 0 ? head : head.slice(0, head.lastIndexOf('\n'))

const text = (
  type: string,
  extension: string,
  test: Test,
  aliases: readonly string[] = [],
  kinds: readonly ContentKind[] = [],
): ContentKind => ({
  type,
  extension,
  test,
  aliases,
  kinds,
})

/** Text, and what it may be. PocketBase: mimetype's internal/magic/text.go, text_csv.go, netpbm.go */
export const TEXT: ContentKind = text(
  'text/plain',
  '.txt',
  isText,
  [],
  [
    text('image/svg+xml', '.svg', (head) => isBareSvg(head) || isDeclaredSvg(head)),
    text('text/html', '.html', isHtml),
    text('text/xml', '.xml', firstTag('\\?XML'), ['application/xml'], XML_KINDS),
    text('text/x-php', '.php', (head) => isPhpPage(head) || isPhpScript(head)),
    text('text/javascript', '.js', isJs, ['application/x-javascript', 'application/javascript']),
    text('text/x-lua', '.lua', script(inBin('lua'), { wholeWord: true })),
    text('text/x-perl', '.pl', isPerl),
    text('text/x-python', '.py', script(['python', 'python2', 'python3'].flatMap(inBin)), [
      'text/x-script.python',
      'application/x-python',
    ]),
    text('text/x-ruby', '.rb', script(inBin('ruby')), ['application/x-ruby']),
    text(
      'application/json',
      '.json',
      json(),
      [],
      [
        text('application/geo+json', '.geojson', json('geo')),
        text('application/json', '.har', json('har')),
        text('model/gltf+json', '.gltf', json('gltf')),
      ],
    ),
    text('application/x-ndjson', '.ndjson', isLinesOfJson),
    text('text/rtf', '.rtf', begins('{\\rtf'), ['application/rtf']),
    text('application/x-subrip', '.srt', isSubtitles, ['application/x-srt', 'text/x-srt']),
    text('text/x-tcl', '.tcl', isTcl, ['application/x-tcl']),
    text('text/csv', '.csv', (head) => isTable(wholeLines(head), ',')),
    text('text/tab-separated-values', '.tsv', (head) => isTable(wholeLines(head), '\t')),
    text('text/vcard', '.vcf', beginsAnyCase('BEGIN:VCARD\n', 'BEGIN:VCARD\r\n')),
    text('text/calendar', '.ics', beginsAnyCase('BEGIN:VCALENDAR\n', 'BEGIN:VCALENDAR\r\n')),
    text('application/warc', '.warc', begins('WARC/1.0', 'WARC/1.1')),
    text('text/vtt', '.vtt', (head) => /^(?:\xef\xbb\xbf)?WEBVTT(?:[\n\r \t]|$)/.test(head)),
    text('text/x-shellscript', '.sh', isShell, [
      'text/x-sh',
      'application/x-shellscript',
      'application/x-sh',
    ]),
    text('image/x-portable-bitmap', '.pbm', netpbm('P1', 'P4')),
    text('image/x-portable-graymap', '.pgm', netpbm('P2', 'P5')),
    text('image/x-portable-pixmap', '.ppm', netpbm('P3', 'P6')),
    text('image/x-portable-arbitrarymap', '.pam', isPam),
    text('message/rfc822', '.eml', isMail),
  ],
)
