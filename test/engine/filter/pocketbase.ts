import { Client } from '../../conformance/client.ts'
import type { Corpus } from '../../conformance/corpus.ts'
import { startPocketBase as start } from '../../conformance/pocketbase.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { RECORDS, ROOT, SCHEMA } from './corpus.ts'

/** Joins of several lists keep PocketBase busy for minutes; they are given up. */
const MAX_SECONDS = 2

const CORPUS = {
  schema: SCHEMA,
  fixtures: { _superusers: [ROOT], ...RECORDS },
  identities: {
    root: { collection: '_superusers', identity: ROOT.email, password: ROOT.password },
    ann: { collection: 'people', identity: 'p2@example.com', password: 'password123' },
  },
} as unknown as Corpus

/** A list's answer, as far as it can be compared: its ids, or that it was refused. */
export type Answer = readonly string[] | 'refused'

/** Starts a real PocketBase, that of `binary`, with the corpus in it. */
export async function startPocketBase(binary: string) {
  const program = await start(binary, CORPUS, temporaryFolder(), `--queryTimeout=${MAX_SECONDS}`)
  const client = new Client(program.url, CORPUS)
  return {
    /** The ids of `collection` under a filter and sort; 'late' if it ran out of its time. */
    async ask(
      as: string | null,
      collection: string,
      filter: string,
      sort: string,
    ): Promise<Answer | 'late'> {
      const query = new URLSearchParams({
        filter,
        sort,
        perPage: '500',
        fields: 'id',
        skipTotal: '1',
      })
      const started = Date.now()
      const path = `/api/collections/${collection}/records?${query}`
      // some of what SQLite does is not interrupted
      const answer = await client.request({ as: as ?? undefined, path }).catch(() => undefined)
      if (answer?.status !== 200)
        return Date.now() - started > MAX_SECONDS * 900 ? 'late' : 'refused'
      return (answer.json as { items: { id: string }[] }).items.map(({ id }) => id)
    },
    stop: () => program.stop(),
  }
}
