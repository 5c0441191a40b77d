import { countSegments } from '#portable/segments.ts'
import { t, tn } from '../../language/words.ts'

const MOST_NAMED = 3
/** Characters of a single segment, and of each of several. */
const ROOM = { 'GSM-7': [160, 153], 'UCS-2': [70, 67] } as const

/** The length of a text in words: characters used and free, segments, and what makes it longer. */
export function formatTextSize(text: string): string {
  const { encoding, units, segments } = countSegments(text)
  const [alone, part] = ROOM[encoding]
  const room = segments === 1 ? alone : segments * part
  if (text === '') return t('0 of {alone} characters', { alone })
  const size = t('{units} of {room} characters, {segments}', {
    units,
    room,
    segments: segmentsText(segments),
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

/** `2 segments`: what networks count and bill. */
export const segmentsText = (count: number) => tn('1 segment', '{count} segments', count)
