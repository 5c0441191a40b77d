import { freePort } from '../support/database/postgres.ts'

/** Where a page names a port of the reader's own machine. */
const NAMED = /(?:(?:127\.0\.0\.1|localhost|0\.0\.0\.0):|\bPORT=|\.listen\()(\d{2,5})\b/g
/** Where the server listens if nobody says anything else. */
export const DEFAULT_PORT = '8090'

/**
 * The ports that these texts name, each with a free one in its place: several readers may be at work on one
 * machine.
 */
export async function choosePorts(texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const named = texts.flatMap((text) => [...text.matchAll(NAMED)].map(([, port]) => port!))
  const ports = new Map<string, string>()
  for (const port of new Set([DEFAULT_PORT, ...named])) ports.set(port, String(await freePort()))
  return ports
}

/** The text with other ports. Nothing else of a block is changed before it runs. */
export const withPorts = (text: string, ports: ReadonlyMap<string, string>): string =>
  text.replace(
    NAMED,
    (whole, port: string) => whole.slice(0, -port.length) + (ports.get(port) ?? port),
  )
