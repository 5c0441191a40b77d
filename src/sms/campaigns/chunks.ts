import type { Config } from '../../config.ts'
import type { Campaign } from './campaign.ts'

/** Messages that are stored at once: the user's other sends come in between. */
const CHUNK = 500

/** The parts in which the messages of a campaign are stored, in order. */
export function chunksOf(
  { audience }: Pick<Campaign, 'audience'>,
  { maxRecipients }: Pick<Config, 'maxRecipients'>,
): (readonly string[])[] {
  const size = Math.min(CHUNK, maxRecipients)
  const count = Math.ceil(audience.length / size)
  return Array.from({ length: count }, (_, i) => audience.slice(i * size, (i + 1) * size))
}

/** The Idempotency-Key under which a chunk is stored: never twice. */
export const chunkKey = ({ id, revision }: Campaign, number: number): string =>
  `campaign:${id}:${revision}:${number}`
