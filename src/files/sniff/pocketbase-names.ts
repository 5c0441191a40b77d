/** PocketBase's name of a type, the extension of its files, and the other names that a field may ask for. */
export type Names = readonly [type: string, extension: string, ...aliases: string[]]

const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument.'
const MPEG: Names = ['video/mpeg', '.mpeg']

/** Of file-type's names those that PocketBase's MIME library has otherwise, or has others beside. */
const RENAMED: Readonly<Record<string, Names>> = {
  'application/java-vm': ['application/x-java-applet', '.class'],
  'application/lzip': ['application/lzip', '.lz', 'application/x-lzip'],
  'application/ogg': ['application/ogg', '.ogg', 'application/x-ogg'],
  'application/vnd.apache.parquet': ['application/vnd.apache.parquet', '.parquet', 'application/x-parquet'],
  'application/vnd.ms-asf': ['video/x-ms-asf', '.asf', 'video/asf', 'video/x-ms-wmv'],
  'application/vnd.rn-realmedia': ['application/vnd.rn-realmedia-vbr', '.rmvb'],
  'application/x-cfb': ['application/x-ole-storage', ''],
  'application/x-google-chrome-extension': ['application/x-chrome-extension', '.crx'],
  'application/x-msdownload': ['application/vnd.microsoft.portable-executable', '.exe'],
  'application/x-nintendo-nes-rom': ['application/vnd.nintendo.snes.rom', '.nes'],
  'application/x-rar-compressed': ['application/x-rar-compressed', '.rar', 'application/x-rar'],
  'application/x-sqlite3': ['application/vnd.sqlite3', '.sqlite', 'application/x-sqlite3'],
  'application/x-unix-archive': ['application/x-archive', '.a', 'application/x-unix-archive'],
  'application/zip': ['application/zip', '.zip', 'application/x-zip', 'application/x-zip-compressed'],
  'audio/aiff': ['audio/aiff', '.aiff', 'audio/x-aiff'],
  'audio/amr': ['audio/amr', '.amr', 'audio/amr-nb'],
  'audio/midi': ['audio/midi', '.midi', 'audio/mid', 'audio/sp-midi', 'audio/x-mid', 'audio/x-midi'],
  'audio/mp4': ['audio/mp4', '.mp4', 'audio/x-mp4a'],
  'audio/ogg': ['audio/ogg', '.oga'],
  'audio/ogg; codecs=opus': ['audio/ogg', '.oga'],
  'audio/wav': ['audio/wav', '.wav', 'audio/x-wav', 'audio/vnd.wave', 'audio/wave'],
  'audio/x-ms-asf': ['video/x-ms-asf', '.asf', 'video/asf', 'video/x-ms-wmv'],
  'audio/x-musepack': ['audio/musepack', '.mpc'],
  'audio/x-voc': ['audio/x-unknown', '.voc'],
  'font/ttf': ['font/ttf', '.ttf', 'font/sfnt', 'application/x-font-ttf', 'application/font-sfnt'],
  'image/apng': ['image/vnd.mozilla.apng', '.png'],
  'image/bmp': ['image/bmp', '.bmp', 'image/x-bmp', 'image/x-ms-bmp'],
  'image/heif-sequence': ['image/heif-sequence', '.heif'],
  'image/icns': ['image/x-icns', '.icns'],
  'image/jpm': ['image/jpm', '.jpm', 'video/jpm'],
  'image/jpx': ['image/jpx', '.jpf'],
  'image/mj2': ['video/mj2', '.mj2'],
  'image/vnd.adobe.photoshop': [
    'image/vnd.adobe.photoshop',
    '.psd',
    ...['image/x-psd', 'application/photoshop'],
  ],
  'image/vnd.dwg': [
    'image/vnd.dwg',
    '.dwg',
    ...['image/x-dwg', 'application/acad', 'application/x-acad', 'application/autocad_dwg'],
    ...['application/dwg', 'application/x-dwg', 'application/x-autocad', 'drawing/dwg'],
  ],
  'image/vnd.ms-photo': ['image/jxr', '.jxr', 'image/vnd.ms-photo'],
  'video/3gpp': ['video/3gpp', '.3gp', 'video/3gp', 'audio/3gpp'],
  'video/3gpp2': ['video/3gpp2', '.3g2', 'video/3g2', 'audio/3gpp2'],
  'video/matroska': ['video/x-matroska', '.mkv'],
  'video/mpeg': MPEG,
  'video/MP1S': MPEG,
  'video/MP2P': MPEG,
  'video/vnd.avi': ['video/x-msvideo', '.avi', 'video/avi', 'video/msvideo'],
  'video/webm': ['video/webm', '.webm', 'audio/webm'],
  'video/x-ms-asf': ['video/x-ms-asf', '.asf', 'video/asf', 'video/x-ms-wmv'],
}

/** How PocketBase names what file-type has found. */
export function pocketbaseNames({ mime, ext }: { readonly mime: string; readonly ext: string }): Names {
  if (mime.startsWith(OPEN_DOCUMENT)) return [mime, `.${ext}`, mime.replace('application/', 'application/x-')]
  return RENAMED[mime] ?? [mime, `.${ext}`]
}
