import type { Config } from '../../platform/config.ts'
import { makeServerKey } from '../messages/send/idempotency.ts'
import type { Campaign } from './campaign.ts'

/** Maximum messages stored per transaction. The user's other sends are accepted between transactions. */
const CHUNK = 500

/** Splits a campaign's recipients into chunks. The messages of a chunk are stored together. */
export function splitAudience(
  { audience }: Pick<Campaign, 'audience'>,
  { maxRecipients }: Pick<Config, 'maxRecipients'>,
): (readonly string[])[] {
  const size = Math.min(CHUNK, maxRecipients)
  const count = Math.ceil(audience.length / size)
  return Array.from({ length: count }, (_, i) => audience.slice(i * size, (i + 1) * size))
}

/** The Idempotency-Key of a chunk of recipients, which prevents storing the chunk's messages twice. */
export const makeChunkKey = ({ id, revision }: Campaign, number: number): string =>
  makeServerKey(`campaign:${id}:${revision}:${number}`)
