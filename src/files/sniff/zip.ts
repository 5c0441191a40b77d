import { type ContentKind, has, type Test, uint16 } from './kind.ts'

const ENTRY = 'PK\x03\x04'

/** Names of a ZIP archive's entries, as far as its head has them. */
function* entries(head: string): Generator<string> {
  for (let at = head.indexOf(ENTRY); at >= 0; at = head.indexOf(ENTRY, at + 30)) {
    const length = uint16(head, at + 26)
    if (head.length < at + 30 + length || length === 0) return
    yield head.slice(at + 30, at + 30 + length)
  }
}

/** Names that may come before the first telling one of an office document. */
const OFFICE_FIRST = ['_rels/', 'docProps/', 'customXml/', '[trash]/']
const isOfficeFirst = (name: string) =>
  name === '[Content_Types].xml' || OFFICE_FIRST.some((folder) => name.startsWith(folder))

const MAX_ENTRIES = 100

const office =
  (folder: string): Test =>
  (head) => {
    let count = 0
    for (const name of entries(head)) {
      if (name.startsWith(folder)) return true
      if ((count === 0 && !isOfficeFirst(name)) || ++count === MAX_ENTRIES) return false
    }
    return false
  }

const contains =
  (names: readonly string[], among = MAX_ENTRIES): Test =>
  (head) =>
    entries(head)
      .take(among)
      .some((name) => names.includes(name))

/** An executable archive has a mark behind the first name. */
const hasCafe = (head: string) => {
  const at = 28 + uint16(head, 26)
  return head.length >= at + 4 && uint16(head, at + 2) === 0xcafe
}
const isManifest = contains(['META-INF/', 'META-INF/MANIFEST.MF'], 1)

const ANDROID = [
  'AndroidManifest.xml',
  'META-INF/com/android/build/gradle/app-metadata.properties',
  'classes.dex',
  'resources.arsc',
  'res/drawable',
]

const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument.'
const openDocument = (name: string, extension: string, kinds: readonly ContentKind[] = []): ContentKind => ({
  type: OPEN_DOCUMENT + name,
  extension,
  test: has(30, `mimetype${OPEN_DOCUMENT}${name}`),
  aliases: [`application/x-vnd.oasis.opendocument.${name}`],
  kinds,
})
const withTemplate = (name: string, extension: string, template: string) =>
  openDocument(name, extension, [openDocument(`${name}-template`, template)])

const OPEN_XML = 'application/vnd.openxmlformats-officedocument.'

/** Kinds of ZIP archives. PocketBase: mimetype's internal/magic/zip.go, ms_office.go */
export const ZIPS: readonly ContentKind[] = [
  { type: `${OPEN_XML}wordprocessingml.document`, extension: '.docx', test: office('word/') },
  { type: `${OPEN_XML}presentationml.presentation`, extension: '.pptx', test: office('ppt/') },
  { type: `${OPEN_XML}spreadsheetml.sheet`, extension: '.xlsx', test: office('xl/') },
  { type: 'application/epub+zip', extension: '.epub', test: has(30, 'mimetypeapplication/epub+zip') },
  { type: 'application/vnd.android.package-archive', extension: '.apk', test: contains(ANDROID) },
  {
    type: 'application/java-archive',
    extension: '.jar',
    test: (head) => hasCafe(head) || isManifest(head),
    aliases: ['application/jar', 'application/jar-archive', 'application/x-java-archive'],
  },
  withTemplate('text', '.odt', '.ott'),
  withTemplate('spreadsheet', '.ods', '.ots'),
  withTemplate('presentation', '.odp', '.otp'),
  withTemplate('graphics', '.odg', '.otg'),
  openDocument('formula', '.odf'),
  openDocument('chart', '.odc'),
  {
    type: 'application/vnd.sun.xml.calc',
    extension: '.sxc',
    test: has(30, 'mimetypeapplication/vnd.sun.xml.calc'),
  },
  { type: 'application/vnd.google-earth.kmz', extension: '.kmz', test: contains(['doc.kml']) },
  { type: 'application/vnd.ms-visio.drawing.main+xml', extension: '.vsdx', test: office('visio/') },
]
