import { all, atLeast, begins, type ContentKind, has, type Test } from './kind.ts'

const brand = (...brands: readonly string[]): Test => all(atLeast(12), has(8, ...brands))

/** What follows the brand of an MP4 container. PocketBase: mimetype's internal/magic/ftyp.go */
const MP4_KINDS: readonly ContentKind[] = [
  { type: 'image/avif', extension: '.avif', test: brand('avif', 'avis') },
  {
    type: 'video/3gpp',
    extension: '.3gp',
    test: brand(
      ...['3gp1', '3gp2', '3gp3', '3gp4', '3gp5', '3gp6', '3gp7'],
      ...['3gs7', '3ge6', '3ge7', '3gg6'],
    ),
    aliases: ['video/3gp', 'audio/3gpp'],
  },
  {
    type: 'video/3gpp2',
    extension: '.3g2',
    test: brand('3g24', '3g25', '3g26', '3g2a', '3g2b', '3g2c', 'KDDI'),
    aliases: ['video/3g2', 'audio/3gpp2'],
  },
  {
    type: 'audio/mp4',
    extension: '.mp4',
    test: brand('F4A ', 'F4B ', 'M4B ', 'M4P ', 'MSNV', 'NDAS'),
    aliases: ['audio/x-mp4a'],
  },
  { type: 'video/quicktime', extension: '.mqv', test: brand('mqt ') },
  { type: 'audio/x-m4a', extension: '.m4a', test: brand('M4A ') },
  { type: 'video/x-m4v', extension: '.m4v', test: brand('M4V ', 'M4VH', 'M4VP') },
  { type: 'image/heic', extension: '.heic', test: brand('heic', 'heix') },
  { type: 'image/heic-sequence', extension: '.heic', test: brand('hevc', 'hevx') },
  { type: 'image/heif', extension: '.heif', test: brand('mif1', 'heim', 'heis', 'avic') },
  { type: 'image/heif-sequence', extension: '.heif', test: brand('msf1', 'hevm', 'hevs', 'avcs') },
  { type: 'video/mj2', extension: '.mj2', test: brand('mj2s', 'mjp2', 'MFSM', 'MGSV') },
  {
    type: 'video/vnd.dvb.file',
    extension: '.dvb',
    test: brand(
      ...['dby1', 'dsms', 'dts1', 'dts2', 'dts3', 'dxo ', 'dmb1', 'dmpf', 'drc1'],
      ...['dv1a', 'dv1b', 'dv2a', 'dv2b', 'dv3a', 'dv3b', 'dvr1', 'dvt1', 'emsg'],
    ),
  },
]

const isQuickTime = (head: string): boolean => {
  if (head.length < 12) return false
  if (/^.{4}ftyp(qt {2}|moov)/s.test(head)) return head[0] === '\0'
  return /^.{4}(moov|mdat|free|skip|pnot)\0/s.test(head) || head.startsWith('\0\0\0\x08wide')
}

/** A Matroska container names its document type behind these two bytes and a length of one to eight. */
const matroska =
  (name: string): Test =>
  (head) => {
    const at = head.indexOf('\x42\x82')
    if (!head.startsWith('\x1a\x45\xdf\xa3') || at <= 0 || head.length <= at + 2) return false
    const width = Math.min(Math.clz32(head.charCodeAt(at + 2)) - 23, 8)
    return head.startsWith(name, at + 2 + width)
  }

const riff = (form: string): Test => all(atLeast(13), begins('RIFF'), has(8, form))
const isMp3 = (head: string) => head.length >= 3 && /^(ID3|\xff[\xfa\xfb\xf2\xf3\xe2\xe3])/.test(head)

const ogg = (...names: readonly string[]): Test => all(atLeast(37), has(28, ...names))
const OGG_KINDS: readonly ContentKind[] = [
  { type: 'audio/ogg', extension: '.oga', test: ogg('\x7fFLAC', '\x01vorbis', 'OpusHead', 'Speex   ') },
  {
    type: 'video/ogg',
    extension: '.ogv',
    test: ogg('\x80theora', 'fishead\0', '\x01video\0\0\0'),
  },
]

/** Kinds of sounds and films. PocketBase: mimetype's internal/magic/audio.go, video.go, ogg.go */
export const SOUND = {
  ogg: {
    type: 'application/ogg',
    extension: '.ogg',
    test: begins('OggS\0'),
    aliases: ['application/x-ogg'],
    kinds: OGG_KINDS,
  },
  mp3: {
    type: 'audio/mpeg',
    extension: '.mp3',
    test: isMp3,
    aliases: ['audio/x-mpeg', 'audio/mp3'],
  },
  flac: { type: 'audio/flac', extension: '.flac', test: begins('fLaC\0\0\0"') },
  midi: {
    type: 'audio/midi',
    extension: '.midi',
    test: begins('MThd'),
    aliases: ['audio/mid', 'audio/sp-midi', 'audio/x-mid', 'audio/x-midi'],
  },
  ape: {
    type: 'audio/ape',
    extension: '.ape',
    test: begins('MAC \x96\x0f\0\0\x34\0\0\0\x18\0\0\0\x90\xe3'),
  },
  musePack: { type: 'audio/musepack', extension: '.mpc', test: begins('MPCK') },
  amr: { type: 'audio/amr', extension: '.amr', test: begins('#!AMR'), aliases: ['audio/amr-nb'] },
  wav: {
    type: 'audio/wav',
    extension: '.wav',
    test: riff('WAVE'),
    aliases: ['audio/x-wav', 'audio/vnd.wave', 'audio/wave'],
  },
  aiff: {
    type: 'audio/aiff',
    extension: '.aiff',
    test: all(atLeast(13), begins('FORM'), has(8, 'AIFF')),
    aliases: ['audio/x-aiff'],
  },
  au: { type: 'audio/basic', extension: '.au', test: begins('.snd') },
  mpeg: {
    type: 'video/mpeg',
    extension: '.mpeg',
    test: (head: string) => /^\0\0\x01[\xb0-\xbf]/.test(head),
  },
  quickTime: { type: 'video/quicktime', extension: '.mov', test: isQuickTime },
  mp4: {
    type: 'video/mp4',
    extension: '.mp4',
    test: all(atLeast(12), begins('\0'), has(4, 'ftyp')),
    kinds: MP4_KINDS,
  },
  webM: { type: 'video/webm', extension: '.webm', test: matroska('webm'), aliases: ['audio/webm'] },
  avi: {
    type: 'video/x-msvideo',
    extension: '.avi',
    test: all(atLeast(17), begins('RIFF'), has(8, 'AVI LIST')),
    aliases: ['video/avi', 'video/msvideo'],
  },
  flv: { type: 'video/x-flv', extension: '.flv', test: begins('FLV\x01') },
  mkv: { type: 'video/x-matroska', extension: '.mkv', test: matroska('matroska') },
  asf: {
    type: 'video/x-ms-asf',
    extension: '.asf',
    test: begins('\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\0\xaa\0\x62\xce\x6c'),
    aliases: ['video/asf', 'video/x-ms-wmv'],
  },
  aac: { type: 'audio/aac', extension: '.aac', test: begins('\xff\xf1', '\xff\xf9') },
  voc: { type: 'audio/x-unknown', extension: '.voc', test: begins('Creative Voice File') },
  m3u: {
    type: 'application/vnd.apple.mpegurl',
    extension: '.m3u',
    test: begins('#EXTM3U\n', '#EXTM3U\r\n'),
    aliases: ['audio/mpegurl', 'application/x-mpegurl'],
  },
  rmvb: { type: 'application/vnd.rn-realmedia-vbr', extension: '.rmvb', test: begins('.RMF') },
  qcp: { type: 'audio/qcelp', extension: '.qcp', test: riff('QLCM') },
} as const satisfies Record<string, ContentKind>
