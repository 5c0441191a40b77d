import { execFileSync } from 'node:child_process'
import { type Block, blocksOf, isScript, isShell, PAGES, readPage } from './page.ts'
import { choosePorts } from './ports.ts'
import { Reader, type ReaderEnvironment } from './reader.ts'
import { isEndless } from './shell.ts'

/** README's comments around the blocks that the reader of any other page has done before. */
const FROM = 'other pages: from here'
const TO = 'other pages: to here'
const BLOCK_MS = 180_000

const ports = await choosePorts(PAGES.map((page) => readPage(page)))
const runs = (block: Block) => isShell(block) || isScript(block)
/**
 * Pages that stop the server, end sessions, erase people, add devices or carriers, or text codes to the
 * number of another page: each has a server of its own. The readers of all other pages share one, as people
 * of a team do.
 */
const ALONE = [
  ...['README.md', 'docs/agent.md', 'docs/app.md', 'docs/campaigns.md', 'docs/carriers.md'],
  'docs/twilio.md',
  ...['docs/deploy.md', 'docs/first-phone.md', 'docs/from-pocketbase.md', 'docs/personal-data.md'],
  ...['docs/sdk.md', 'docs/security.md'],
]
/** What takes half of the time. */
const FIRST_HALF = ALONE.slice(0, 6)
const pages = PAGES.map((page) => ({ page, blocks: blocksOf(page) }))
  .filter(({ blocks }) => blocks.some(runs))
  .filter(({ page }) => FIRST_HALF.includes(page) === (process.env.HALF === '0'))
  // servers that run one after the other have the same port
  .sort((one, other) => Number(ALONE.includes(one.page)) - Number(ALONE.includes(other.page)))

/** What every other page takes as done: README's blocks between the two comments. */
function firstSteps(): Block[] {
  const blocks = blocksOf('README.md')
  const [from, to] = [FROM, TO].map((note) => blocks.findIndex(({ notes }) => notes.includes(note)))
  return blocks.slice(from, to).filter(runs)
}

const steps = firstSteps()
const endless = steps.filter(({ text }) => isEndless(text))
/** What they set in the terminal. */
const names = new Set(
  steps.flatMap(({ text }) => [...text.matchAll(/(?:^| )([A-Z_]+)=/gm)].map(([, name]) => name!)),
)
let start: { desk: ReaderEnvironment; variables: string } | undefined
/** The reader whose server and phone all pages share that are not ALONE. */
let host: Reader | undefined

beforeAll(async () => {
  requireTools()
  const reader = await Reader.sitDown(steps, ports)
  try {
    for (const block of steps) await reader.do(block)
    start = { desk: reader.desk, variables: await reader.variables([...names]) }
  } finally {
    await reader.getUp()
    if (!start) await reader.desk.clear()
  }
}, BLOCK_MS)

afterAll(async () => {
  await endHost()
  start?.desk.clear()
}, BLOCK_MS)

async function endHost(): Promise<void> {
  await host?.getUp()
  host?.desk.clear()
  host = undefined
}

function requireTools(): void {
  const [, major, minor] = /^curl (\d+)\.(\d+)/.exec(versionOf('curl')) ?? []
  if (Number(major) * 1000 + Number(minor) < 7082)
    throw new Error('The examples of README and docs need curl 7.82 or later (for --json).')
  if (!/^jq-1\.(?!5)/.test(versionOf('jq')))
    throw new Error('The examples of README and docs need jq 1.6 or later.')
}

function versionOf(program: string): string {
  try {
    return execFileSync(program, ['--version'], { encoding: 'utf8' })
  } catch {
    return ''
  }
}

/**
 * The reader of README begins with nothing, and runs everything by npx; the others have done its first steps,
 * and what they started still runs.
 */
async function sitDown(page: string, blocks: readonly Block[]): Promise<Reader> {
  if (page === 'README.md') return Reader.sitDown(blocks, ports, { hasNpx: true })
  if (ALONE.includes(page)) {
    await endHost()
    return goOn(blocks)
  }
  host ??= await goOn([])
  const reader = await Reader.sitDown(blocks, ports, { at: host.desk })
  await reader.type(start!.variables)
  return reader
}

/** A reader who starts the server and the phone of the first steps again. */
async function goOn(blocks: readonly Block[]): Promise<Reader> {
  const reader = await Reader.sitDown(blocks, ports, { from: start!.desk })
  try {
    await reader.type(start!.variables)
    for (const block of endless) await reader.do(block)
    return reader
  } catch (error) {
    await reader.getUp() // else what runs would be in the way of all others
    throw error
  }
}

test('the page has steps to run', () => {
  expect(steps.length).toBeGreaterThan(3)
  expect(ALONE.filter((page) => !PAGES.includes(page))).toEqual([])
})

describe.each(pages)('$page', ({ page, blocks }) => {
  let reader: Reader
  let isLost = false
  beforeAll(async () => {
    reader = await sitDown(page, blocks)
  }, BLOCK_MS)
  afterAll(async () => {
    await reader?.getUp()
    if (ALONE.includes(page)) reader?.desk.clear()
    // whatever a failed block has left, the next page does not find it
    else if (isLost) await endHost()
  }, BLOCK_MS)

  for (const [index, block] of blocks.entries()) {
    if (!runs(block)) continue
    const next = blocks[index + 1]
    const shown = next?.language === 'json' && next.follows ? next : undefined
    const label = `line ${block.line}: ${block.text.split('\n')[0]}`
    test(
      label,
      async ({ skip }) => {
        if (isLost) skip('a block before it failed')
        isLost = true
        await reader.do(block, shown)
        isLost = false
      },
      BLOCK_MS,
    )
  }
})
