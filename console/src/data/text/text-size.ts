import { countSegments } from '#portable/segments.ts'
import { replaceSpecialSigns } from '#portable/smart-encoding.ts'
import { t, tn } from '../../language/words.ts'
import { fillTemplate } from './variables.ts'

const MOST_NAMED = 3
/** Maximum characters of a text in one segment, and of each segment if there are several. */
const ROOM = { 'GSM-7': [160, 153], 'UCS-2': [70, 67] } as const

/**
 * Describes a text's length: characters used and available, segments, and what makes it Unicode. Variables
 * are about as long as their names, and `{{stop_link}}` as the address that replaces it. With files the text
 * is a part of an MMS, which has no segments.
 */
export function formatTextSize(template: string, hasFiles = false): string {
  const text = fillTemplate(template, guessValue)
  if (hasFiles) return tn('1 character, MMS', '{count} characters, MMS', [...text].length)
  const { encoding, units, segments } = countSegments(text)
  const [alone, part] = ROOM[encoding]
  const room = segments === 1 ? alone : segments * part
  if (text === '') return t('0 of {alone} characters', { alone })
  const size = t('{units} of {room} characters, {segments}', {
    units: text === template ? units : t('about {units}', { units }),
    room,
    segments: formatSegments(segments),
  })
  if (encoding === 'GSM-7') return size
  const rare = [...new Set(text)].filter((char) => countSegments(char).encoding === 'UCS-2')
  const named = rare.slice(0, MOST_NAMED).join(' ')
  const reason = tn(
    '{named} makes it Unicode: 70 characters fit, not 160.',
    '{named} make it Unicode: 70 characters fit, not 160.',
    rare.length,
    { named },
  )
  return `${size}. ${reason}`
}

/** As long as most addresses of a link to leave: these have 60 to 70 characters. */
const STOP_LINK = `https://sms.example.com/leave/${'x'.repeat(32)}`

/** A value about as long as the real one. */
const guessValue = (name: string): string => (name.toLowerCase() === 'stop_link' ? STOP_LINK : name)

/** A number of segments, which networks count and bill: `2 segments`. */
export const formatSegments = (count: number) => tn('1 segment', '{count} segments', count)

/** The number of segments of a text, or the word MMS for 0 segments. */
export const formatSegmentsOrMms = (count: number) => (count === 0 ? 'MMS' : formatSegments(count))

/**
 * The text with plain punctuation, and how many segments that saves. Undefined if the number of segments and
 * the encoding stay the same. Changes no letters.
 */
export function suggestPlainText(
  text: string,
): { readonly text: string; readonly saved: number } | undefined {
  const plain = replaceSpecialSigns(text)
  if (plain === text) return undefined
  const [before, after] = [countSegments(text), countSegments(plain)]
  const wins = after.encoding !== before.encoding || after.segments < before.segments
  return wins ? { text: plain, saved: before.segments - after.segments } : undefined
}
