import { openEmbedded } from '../../../src/platform/db/embedded/embedded.ts'
import { createLogger } from '../../../src/platform/log.ts'

// A process that opens the embedded database of a folder, prints its URL, and closes it on SIGTERM.

try {
  const embedded = await openEmbedded(process.argv[2]!, createLogger({ logLevel: 'error' }))
  process.once('SIGTERM', () => void embedded.close().then(() => process.exit()))
  process.stdout.write(`${embedded.url}\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(1)
}
