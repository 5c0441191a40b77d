import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runs } from '../support/installed.ts'

// Generators of clients, and the libraries that their clients need, in the versions that we test with. Each
// kind is installed once, into a folder of its own that later runs find again.

export const PROJECT = join(import.meta.dirname, '..', '..')
const FOLDER = join(PROJECT, 'node_modules', '.cache', 'generators')

const NPM = {
  '@hey-api/openapi-ts': '0.95.0',
  'openapi-fetch': '0.17.0',
  'openapi-typescript': '7.13.0',
  orval: '8.38.0',
  'swagger-typescript-api': '13.13.0',
} as const
const GO = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'
export const GO_RUNTIME = 'github.com/oapi-codegen/runtime@v1.9.0'
const PYPI = [
  'openapi-python-client==0.29.1',
  'pydantic==2.14.3',
  'python-dateutil==2.9.0.post0',
  'urllib3==2.8.0',
] as const
const SCHEMATHESIS = 'schemathesis==4.32.5'
const OPENAPI_GENERATOR = 'org.openapitools:openapi-generator-cli:7.25.0'
const MAVEN = [
  'com.google.code.findbugs:jsr305:3.0.2',
  'com.fasterxml.jackson.core:jackson-databind:2.22.4',
  'com.fasterxml.jackson.datatype:jackson-datatype-jsr310:2.22.4',
  'jakarta.annotation:jakarta.annotation-api:1.3.5',
  'org.apache.httpcomponents:httpmime:4.5.14',
  'org.openapitools:jackson-databind-nullable:0.2.9',
] as const
/** Of Debian's and Ubuntu's package `php-guzzlehttp-guzzle`. */
export const GUZZLE = '/usr/share/php/GuzzleHttp/autoload.php'

interface Tool {
  /** What installs it. Fails where it cannot be had. */
  readonly install: (folder: string) => void
  /** Decides whether what is in the folder is still what we want. */
  readonly wants: unknown
  /** Why it cannot be had on this machine; undefined where it can. */
  readonly lacks?: () => string | undefined
}

const run = (program: string, args: readonly string[], cwd: string, env = {}) =>
  execFileSync(program, args, { cwd, env: { ...process.env, ...env }, stdio: 'inherit' })

const lacksProgram = (program: string, ...args: string[]) =>
  runs(program, ...args) ? undefined : `${program} is not installed`

function copyJars(folder: string, artifacts: readonly string[]): void {
  const dependencies = artifacts.map((one) => {
    const [group, artifact, version] = one.split(':')
    return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`
  })
  const own =
    '<modelVersion>4.0.0</modelVersion><groupId>test</groupId><artifactId>test</artifactId>'
  writeFileSync(
    join(folder, 'pom.xml'),
    `<project>${own}<version>1</version><dependencies>${dependencies.join('')}</dependencies></project>`,
  )
  const goal = ['dependency:copy-dependencies', '-DoutputDirectory=jars']
  run('mvn', ['--batch-mode', '--quiet', ...goal], folder)
}

const TOOLS = {
  npm: {
    wants: NPM,
    install(folder) {
      const project = { private: true, dependencies: NPM }
      writeFileSync(join(folder, 'package.json'), JSON.stringify(project))
      run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], folder)
    },
  },
  go: {
    wants: GO,
    lacks: () => lacksProgram('go', 'version'),
    install: (folder) => run('go', ['install', GO], folder, { GOBIN: folder }),
  },
  python: {
    wants: PYPI,
    lacks: () => lacksProgram('python3', '-c', 'import venv'),
    install(folder) {
      run('python3', ['-m', 'venv', '.'], folder)
      run(join(folder, 'bin', 'pip'), ['install', '--quiet', ...PYPI], folder)
    },
  },
  schemathesis: {
    wants: SCHEMATHESIS,
    lacks: () => lacksProgram('python3', '-c', 'import venv'),
    install(folder) {
      run('python3', ['-m', 'venv', '.'], folder)
      run(join(folder, 'bin', 'pip'), ['install', '--quiet', SCHEMATHESIS], folder)
    },
  },
  openapiGenerator: {
    wants: OPENAPI_GENERATOR,
    lacks: () => lacksProgram('java', '-version') ?? lacksProgram('mvn', '--version'),
    install: (folder) => copyJars(folder, [OPENAPI_GENERATOR]),
  },
  java: {
    wants: MAVEN,
    lacks: () => lacksProgram('javac', '-version'),
    install: (folder) => copyJars(folder, MAVEN),
  },
  php: {
    wants: '',
    lacks: () =>
      lacksProgram('php', '--version') ??
      (existsSync(GUZZLE) ? undefined : 'Guzzle (php-guzzlehttp-guzzle) is not installed'),
    install() {},
  },
  dotnet: {
    wants: '',
    lacks: () => lacksProgram('dotnet', '--version'),
    install() {},
  },
} as const satisfies Record<string, Tool>

export type ToolName = keyof typeof TOOLS

export const folderOf = (name: ToolName) => join(FOLDER, name)

/** Why one of these tools cannot be had on this machine; undefined where all can. */
export const findLack = (names: readonly ToolName[]): string | undefined =>
  names.map((name) => (TOOLS[name] as Tool).lacks?.()).find((why) => why !== undefined)

/** Installs a tool, unless an earlier run has installed the same versions. */
export function installOnce(name: ToolName): void {
  const tool: Tool = TOOLS[name]
  const folder = folderOf(name)
  const note = join(folder, 'installed.json')
  const wanted = JSON.stringify(tool.wants)
  if (existsSync(note) && readFileSync(note, 'utf8') === wanted) return
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  tool.install(folder)
  writeFileSync(note, wanted)
}
