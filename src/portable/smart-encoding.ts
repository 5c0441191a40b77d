import { countSegments } from './segments.ts'

/**
 * Signs of the GSM alphabet, and signs that look like them. Twilio's list of smart encoding, without its
 * combining marks, which would change the letter before them. Besides: low and angle quotation marks, primes,
 * the soft hyphen. https://www.twilio.com/docs/messaging/services/smart-encoding-char-list
 */
const LOOKALIKES: Readonly<Record<string, string>> = {
  '"': '«»“”„‟″ʺˮ❝❞〝〞＂',
  "'": '‘’‛′‹›ʻˈʼʽʹ＇´ˊ`ˋ❛❜\ufe10\ufe11\u2017',
  ',': '‚、\ufe50\ufe51，､',
  '.': '。\ufe52．｡',
  '...': '…',
  ':': 'ː˸⦂꞉\ufe13：',
  ';': '⁏\ufe14\ufe54；',
  '!': 'ǃ\ufe15\ufe57！',
  '!!': '‼',
  '?': '\ufe16\ufe56？',
  '-': '‐‑‒–—―−⎼⎽\ufe63－⁃•',
  _: '＿',
  '/': '÷⧸⁄∕／',
  '1/4': '¼',
  '1/2': '½',
  '3/4': '¾',
  '\\': '⧹⧵\ufe68＼',
  '|': '∣｜⎸⎹⏐⎜⎟',
  '@': '\ufe6b＠',
  $: '\ufe69＄',
  '#': '\ufe5f＃',
  '%': '\ufe6a％',
  '&': '\ufe60＆',
  '(': '❨❪\ufe59（⟮⦅',
  ')': '❩❫\ufe5a）⟯⦆',
  '[': '［',
  ']': '］',
  '{': '❴\ufe5b｛',
  '}': '❵\ufe5c｝',
  '*': '⁎∗⊛✢✣✤✥✱✲✳✺✻✼✽❃❉❊❋⧆\ufe61＊',
  '+': '˖\ufe62＋',
  '<': '\ufe64＜',
  '=': '꞊\ufe66＝',
  '>': '\ufe65＞',
  '^': 'ˆ＾',
  '~': '˜˷∼～',
  ' ': '\t\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000',
  '': '\u00ad\u200b\u2060\ufeff',
}
/** Small capitals from A to Z; Q and X have none. */
const SMALL_CAPITALS = 'ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘ ʀꜱᴛᴜᴠᴡ ʏᴢ'

const SIGNS = new Map<string, string>()
for (const [plain, signs] of Object.entries(LOOKALIKES))
  for (const sign of signs) SIGNS.set(sign, plain)
for (const [i, sign] of [...SMALL_CAPITALS].entries())
  if (sign !== ' ') SIGNS.set(sign, String.fromCharCode(0x41 + i))
// fullwidth digits and capitals
for (const [first, last] of ['09', 'AZ'] as const)
  for (let code = first!.charCodeAt(0); code <= last!.charCodeAt(0); code++)
    SIGNS.set(String.fromCharCode(code + 0xfee0), String.fromCharCode(code))

/** The text with signs of the GSM alphabet in place of signs that look like them. */
export const replaceSpecialSigns = (text: string): string =>
  [...text].map((char) => SIGNS.get(char) ?? char).join('')

/** The text with plain signs if it then takes fewer segments and at most `maxCharacters`, else the text. */
export function replaceIfShorter(text: string, maxCharacters: number): string {
  const { encoding, segments } = countSegments(text)
  if (encoding === 'GSM-7') return text
  const plain = replaceSpecialSigns(text)
  const isShorter = countSegments(plain).segments < segments
  return isShorter && [...plain].length <= maxCharacters ? plain : text
}
