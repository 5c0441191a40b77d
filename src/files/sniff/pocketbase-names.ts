/** A type in PocketBase's naming, and its file extension. */
export type NamedType = readonly [type: string, extension: string]

const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument.'
const MPEG: NamedType = ['video/mpeg', '.mpeg']

/** Types that file-type names differently from PocketBase's MIME library. */
const RENAMED: Readonly<Record<string, NamedType>> = {
  'application/ogg': ['application/ogg', '.ogg'],
  'application/vnd.ms-asf': ['video/x-ms-asf', '.asf'],
  'application/x-cfb': ['application/x-ole-storage', ''],
  'application/x-msdownload': ['application/vnd.microsoft.portable-executable', '.exe'],
  'application/x-sqlite3': ['application/vnd.sqlite3', '.sqlite'],
  'audio/aiff': ['audio/aiff', '.aiff'],
  'audio/midi': ['audio/midi', '.midi'],
  'audio/mp4': ['audio/mp4', '.mp4'],
  'audio/ogg': ['audio/ogg', '.oga'],
  'audio/ogg; codecs=opus': ['audio/ogg', '.oga'],
  'audio/x-ms-asf': ['video/x-ms-asf', '.asf'],
  'image/apng': ['image/vnd.mozilla.apng', '.png'],
  'image/heif-sequence': ['image/heif-sequence', '.heif'],
  'video/matroska': ['video/x-matroska', '.mkv'],
  'video/mpeg': MPEG,
  'video/MP1S': MPEG,
  'video/MP2P': MPEG,
  'video/vnd.avi': ['video/x-msvideo', '.avi'],
}

/** PocketBase's name of a result of file-type. */
export const pocketbaseName = ({ mime, ext }: { readonly mime: string; readonly ext: string }): NamedType =>
  RENAMED[mime] ?? [mime, `.${ext}`]

/** Aliases of types, which a field may list. PocketBase: mimetype's tree.go */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  'application/gzip': [
    'application/x-gzip',
    'application/x-gunzip',
    'application/gzipped',
    'application/gzip-compressed',
    'application/x-gzip-compressed',
    'gzip/document',
  ],
  'application/msword': ['application/vnd.ms-word'],
  'application/ogg': ['application/x-ogg'],
  'application/pdf': ['application/x-pdf'],
  'application/rss+xml': ['text/rss'],
  'application/vnd.ms-excel': ['application/msexcel'],
  'application/vnd.ms-powerpoint': ['application/mspowerpoint'],
  'application/vnd.sqlite3': ['application/x-sqlite3'],
  'application/x-rar-compressed': ['application/x-rar'],
  'application/x-subrip': ['application/x-srt', 'text/x-srt'],
  'application/zip': ['application/x-zip', 'application/x-zip-compressed'],
  'audio/aiff': ['audio/x-aiff'],
  'audio/amr': ['audio/amr-nb'],
  'audio/midi': ['audio/mid', 'audio/sp-midi', 'audio/x-mid', 'audio/x-midi'],
  'audio/mp4': ['audio/x-mp4a'],
  'audio/mpeg': ['audio/x-mpeg', 'audio/mp3'],
  'audio/wav': ['audio/x-wav', 'audio/vnd.wave', 'audio/wave'],
  'font/ttf': ['font/sfnt', 'application/x-font-ttf', 'application/font-sfnt'],
  'image/bmp': ['image/x-bmp', 'image/x-ms-bmp'],
  'image/vnd.adobe.photoshop': ['image/x-psd', 'application/photoshop'],
  'text/javascript': ['application/x-javascript', 'application/javascript'],
  'text/rtf': ['application/rtf'],
  'text/x-python': ['text/x-script.python', 'application/x-python'],
  'text/x-shellscript': ['text/x-sh', 'application/x-shellscript', 'application/x-sh'],
  'text/xml': ['application/xml'],
  'video/3gpp': ['video/3gp', 'audio/3gpp'],
  'video/3gpp2': ['video/3g2', 'audio/3gpp2'],
  'video/webm': ['audio/webm'],
  'video/x-ms-asf': ['video/asf', 'video/x-ms-wmv'],
  'video/x-msvideo': ['video/avi', 'video/msvideo'],
}

/** All PocketBase names of a type. */
export function namesOf(type: string): string[] {
  if (type.startsWith(OPEN_DOCUMENT)) return [type, type.replace('application/', 'application/x-')]
  return [type, ...(ALIASES[type] ?? [])]
}
