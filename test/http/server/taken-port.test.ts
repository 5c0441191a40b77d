import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '../../support/server/program.ts'
import { testConfig } from '../../support/server/start.ts'

test('a server whose port is taken says so and ends', { timeout: 90_000 }, async () => {
  const owner = createServer((_, response) => response.writeHead(500).end()).listen(0, '127.0.0.1')
  await once(owner, 'listening')
  const folder = mkdtempSync(join(tmpdir(), 'pocketsms-taken-'))
  try {
    const { databaseUrl } = await testConfig()
    const { port } = owner.address() as AddressInfo
    const place: Record<string, string> = databaseUrl
      ? { DATABASE_URL: databaseUrl }
      : { DATABASE_URL: '', DATA_DIR: folder }
    const started = serve({ ...place, HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'error' })
    const end = new RegExp(
      `^The server ended before it answered\\.\\nPort ${port} on 127\\.0\\.0\\.1 is taken`,
    )
    await expect(started).rejects.toThrow(end)
  } finally {
    owner.closeAllConnections()
    owner.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
