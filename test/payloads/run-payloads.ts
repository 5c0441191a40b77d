import { readdirSync, readFileSync } from 'node:fs'

/**
 * What another program really sends, and what this project must make of it. A file
 * `test/payloads/KIND/SUBJECT/NAME.json` holds a list of them.
 */
export interface Payload<Sent, Outcome> {
  /** A sentence: `Plivo delivers an MMS without a text.` */
  readonly title: string
  /**
   * Where the shape was published: the address of a document, a source file or an issue. Of one whose title
   * says that it was written by hand: the standard that it follows.
   */
  readonly source: string
  /** The versions of the other program that send it, if not all. */
  readonly versions?: string
  /** Whether it is an event that this project does not know. Each subject has one. */
  readonly isUnknown?: true
  readonly sent: Sent
  /** The outcome has at least these properties. */
  readonly becomes: Outcome
}

/** Minimum payloads of a subject. */
const FEWEST = 5

/**
 * Tests all payloads of a kind, such as `carriers`. Each of its `subjects`, such as the names of presets,
 * must have a folder with at least five payloads, one of them an event that is not known.
 *
 * @param run gives the subject the payload by the other program's way, and describes what came of it
 */
export function runPayloads<Sent, Outcome extends object>(
  kind: string,
  subjects: readonly string[],
  run: (subject: string, sent: Sent) => Outcome | Promise<Outcome>,
): void {
  const folder = new URL(`${kind}/`, import.meta.url)
  const read = (subject: string) =>
    readdirSync(new URL(`${subject}/`, folder))
      .filter((name) => name.endsWith('.json'))
      .sort()
      .flatMap((name): Payload<Sent, Outcome>[] =>
        JSON.parse(readFileSync(new URL(`${subject}/${name}`, folder), 'utf8')),
      )

  test(`${kind}: no folder of payloads is left without its subject`, () => {
    expect(readdirSync(folder).sort()).toEqual([...subjects].sort())
  })

  describe.each(subjects)(`${kind}: %s`, (subject) => {
    const payloads = read(subject)
    test(`has ${FEWEST} payloads, and one that is not known`, () => {
      expect(payloads.length).toBeGreaterThanOrEqual(FEWEST)
      expect(payloads.filter(({ isUnknown }) => isUnknown).length).toBeGreaterThan(0)
      for (const { source } of payloads) expect(source).toMatch(/^https:\/\/\S+/)
    })
    test.each(payloads.map((payload) => [payload.title, payload] as const))(
      '%s',
      async (_, payload) => {
        expect(await run(subject, payload.sent)).toMatchObject(payload.becomes)
      },
    )
  })
}
