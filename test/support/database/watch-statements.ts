import { Db } from '../../../src/platform/db/open.ts'

/** A statement, and the database or transaction that sent it. */
export interface Watched {
  readonly text: string
  readonly db: Db
}

/** The statements that this process sends by these methods of a Db while `work` runs, in their order. */
export async function watchStatements(
  ways: readonly ('query' | 'lookUp')[],
  work: () => Promise<unknown>,
): Promise<readonly Watched[]> {
  const sent: Watched[] = []
  const watched = ways.map((way) => {
    const send = Db.prototype[way]
    return vi.spyOn(Db.prototype, way).mockImplementation(function (this: Db, text, ...rest) {
      sent.push({ text, db: this })
      return send.call(this, text, ...rest)
    })
  })
  try {
    await work()
  } finally {
    for (const one of watched) one.mockRestore()
  }
  return sent
}
