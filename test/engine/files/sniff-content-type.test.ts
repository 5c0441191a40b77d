import { deflateSync, gzipSync } from 'node:zlib'
import { sniffContentType } from '../../../src/engine/files/sniff-content-type.ts'

const RIFF = (form: string) => `RIFF\0\0\0\0${form}`
/** The beginning of a ZIP archive of such files, which are not compressed. */
const zipped = (...entries: string[]) => {
  const files = entries.map((entry) => {
    const [name = '', content = 'x'.repeat(30)] = entry.split('=')
    const header = Buffer.alloc(30)
    header.write('PK\x03\x04')
    for (const at of [18, 22]) header.writeUInt32LE(content.length, at)
    header.writeUInt16LE(name.length, 26)
    return Buffer.concat([header, Buffer.from(name + content)])
  })
  return Buffer.concat(files)
}
const tar = Buffer.alloc(512)
tar.write('a.txt')
tar.write('0000414\0', 148) // the sum of all bytes, this field as spaces
tar.write('0', 156)
tar.write('ustar\0', 257)
/** A compound file whose root, in the sector behind the header, is of this class. */
const compound = (rootClass: string) =>
  Buffer.from(`\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1${'\0'.repeat(584)}${rootClass}`, 'latin1')

// texts are recorded: test/conformance, files
test.each<[type: string, extension: string, content: string | Buffer]>([
  ['image/png', '.png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '.jpg', '\xff\xd8\xff\xe0'],
  ['image/webp', '.webp', RIFF('WEBPVP8 ')],
  ['image/avif', '.avif', '\0\0\0\x1cftypavif\0\0\0\0'],
  ['image/heic', '.heic', '\0\0\0\x1cftypheic\0\0\0\0'],
  ['image/x-icon', '.ico', '\0\0\x01\0'],
  ['application/zip', '.zip', zipped('a.txt')],
  [
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    '.docx',
    zipped('[Content_Types].xml', 'word/document.xml'),
  ],
  [
    'application/vnd.oasis.opendocument.text',
    '.odt',
    zipped('mimetype=application/vnd.oasis.opendocument.text'),
  ],
  [
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    '.xlsx',
    zipped('_rels/.rels', 'docProps/app.xml', 'xl/workbook.xml'),
  ],
  ['application/epub+zip', '.epub', zipped('mimetype=application/epub+zip')],
  ['application/x-tar', '.tar', tar],
  ['application/msword', '.doc', compound('\x06\x09\x02\0\0\0\0\0\xc0\0\0\0\0\0\0\x46')],
  ['application/vnd.microsoft.portable-executable', '.exe', 'MZ\x90\0\x03\0\0\0'],
  ['image/vnd.mozilla.apng', '.png', `\x89PNG\r\n\x1a\n${'\0'.repeat(29)}acTL`],
  ['video/quicktime', '.mov', '\0\0\0\x14ftypqt  \0\0\0\0'],
  ['audio/x-m4a', '.m4a', '\0\0\0\x1cftypM4A \0\0\0\0'],
  ['video/x-matroska', '.mkv', '\x1aE\xdf\xa3\x8bB\x82\x88matroska'],
  ['audio/amr', '.amr', '#!AMR\n\x3c\0'],
  ['application/gzip', '.gz', gzipSync('text')],
  ['application/zlib', '', deflateSync('text')],
  ['application/x-ole-storage', '', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ['audio/mpeg', '.mp3', 'ID3\x03'],
  ['audio/wav', '.wav', RIFF('WAVEfmt ')],
  ['video/mp4', '.mp4', '\0\0\0\x18ftypisom\0\0'],
  ['video/webm', '.webm', '\x1aE\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm'],
  ['application/vnd.sqlite3', '.sqlite', 'SQLite format 3\0'],
  ['application/octet-stream', '', '\x00\x01\x02\x03'],
  ['text/plain', '.txt', ''],
  ['image/svg+xml', '.svg', "<!-- a -->\n<svg xmlns='http://www.w3.org/2000/svg'>"],
  ['text/plain; charset=iso-8859-1', '.txt', Buffer.from('naïve', 'latin1')],
  ['text/plain; charset=windows-1252', '.txt', 'na\xefve\x85'],
  ['text/plain', '.txt', '\x93quoted\x94'],
  ['text/plain; charset=utf-16le', '.txt', '\xff\xfea\0'],
])(
  'content of the type %s is recognised and gets the extension %s',
  async (type, extension, content) => {
    const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content
    expect(await sniffContentType(bytes)).toMatchObject({ type, extension })
  },
)

test('a detected type lists all its names', async () => {
  expect((await sniffContentType(zipped('a'))).names).toContain('application/x-zip-compressed')
  expect((await sniffContentType(Buffer.from('<html>'))).names).toEqual(['text/html'])
})
