import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

// Shows that tests notice checks: removes one at a time, in a copy of the last commit, and runs the tests,
// which must fail. What it picks follows from a seed.

/** A check: its file, what is there once, and what is there without the check. */
export type Removed = readonly [file: string, check: string, without: string]

export interface Removal {
  readonly removed: Removed
  /** Arguments of `vitest run` that select the tests. */
  readonly tests: readonly string[]
  /** The tests need the console, which is built anew each time. */
  readonly isOfConsole?: true
  /** The groups of which each must have a removal among those that are tried. */
  readonly of?: readonly string[]
}

const HOME = join(import.meta.dirname, '../..')

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
function makeRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** `count` removals: one of each group first, of any groups if there are more than `count`, then any. */
function pick(removals: readonly Removal[], count: number, seed: number): Removal[] {
  const random = makeRandom(seed)
  const shuffled = removals
    .map((removal) => ({ removal, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ removal }) => removal)
  const picked = new Set<Removal>()
  for (const group of new Set(shuffled.flatMap(({ of = [] }) => of)))
    if (picked.size < count && ![...picked].some(({ of }) => of?.includes(group)))
      picked.add(shuffled.find(({ of }) => of?.includes(group))!)
  for (const removal of shuffled) if (picked.size < count) picked.add(removal)
  return [...picked]
}

/** A copy of what git has here, with the packages of this folder. */
function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'pocketsms-removals-'))
  const archive = execFileSync('git', ['archive', 'HEAD'], { cwd: HOME, maxBuffer: 1 << 30 })
  execFileSync('tar', ['-x', '-C', copy], { input: archive })
  symlinkSync(join(HOME, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** Runs tests in the copy. Returns what they print if they are red, else undefined. */
function findRed(copy: string, { tests, isOfConsole }: Removal): string | undefined {
  if (isOfConsole) execFileSync('npm', ['run', '-s', 'prepare'], { cwd: copy })
  const args = ['vitest', 'run', '--bail', '1', '--maxWorkers', '2', ...tests]
  const { status, stdout } = spawnSync('npx', args, { cwd: copy, encoding: 'utf8' })
  return status === 0 ? undefined : stdout
}

/** Whether the tests are red without the check, and green again with it. */
function isNoticed(copy: string, removal: Removal): boolean {
  const [file, check, without] = removal.removed
  const path = join(copy, file)
  const whole = readFileSync(path, 'utf8')
  if (whole.split(check).length !== 2) throw new Error(`${file} must have once: ${check}`)
  writeFileSync(
    path,
    whole.replace(check, () => without),
  )
  const red = findRed(copy, removal)
  writeFileSync(path, whole)
  if (red === undefined) return false
  // a test that is red in any case notices nothing
  if (!/\d+ failed/.test(red)) throw new Error(`No test has run without ${check}:\n${red}`)
  const still = findRed(copy, removal)
  if (still) throw new Error(`The tests are red with all checks:\n${still}`)
  return true
}

/**
 * Tries removals, `--count 20` of them by `--seed 1`, or those of some groups alone (`--of GROUP,GROUP`), and
 * prints each when it begins, and what the tests say, at last how many were noticed. Sets the exit code to 1
 * if one is not.
 */
export function tryRemovals(removals: readonly Removal[]): void {
  const { values } = parseArgs({
    options: {
      count: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      of: { type: 'string' },
    },
  })
  const groups = values.of?.split(',')
  const some = groups
    ? removals.filter(({ of = [] }) => of.some((group) => groups.includes(group)))
    : removals
  const picked = pick(some, Number(values.count), Number(values.seed))
  const copy = copyRepository()
  const begin = Date.now()
  const secondsSince = (time: number) => Math.round((Date.now() - time) / 1000)
  let red = 0
  try {
    for (const [i, removal] of picked.entries()) {
      const [file, check] = removal.removed
      const of = removal.of ? ` (${removal.of.join(', ')})` : ''
      console.log(`${i + 1} of ${picked.length}: without ${file}: ${check.trim()}${of}`)
      const since = Date.now()
      const noticed = isNoticed(copy, removal)
      if (noticed) red++
      else process.exitCode = 1
      console.log(`  ${noticed ? 'red' : 'GREEN'} after ${secondsSince(since)} s`)
    }
  } finally {
    console.log(`${red} of ${picked.length} removals noticed in ${secondsSince(begin)} s`)
    rmSync(copy, { recursive: true })
  }
}
