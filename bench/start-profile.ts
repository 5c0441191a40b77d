import { spawn } from 'node:child_process'
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../test/support/database/postgres.ts'
import { startProgram } from '../test/support/server/program.ts'
import { table } from './report.ts'

interface ProfileNode {
  readonly id: number
  readonly callFrame: {
    readonly functionName: string
    readonly url: string
    readonly lineNumber: number
  }
  readonly children?: readonly number[]
}
interface Profile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const MOST_MODULES = 25
const IDLE = '(idle)'

/** Runs the step with a profile until it ends or answers for the first time. Reports where its time went. */
export async function profileStart(
  home: string,
  step: string,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const profiles = join(folder, 'profiles')
  const entry = ['src/main/cli.ts', 'dist/cli.js', 'dist/main/cli.js']
    .map((file) => join(home, file))
    .find(existsSync)!
  const args = ['--cpu-prof', `--cpu-prof-dir=${profiles}`, entry]
  const cached = { ...env, NODE_COMPILE_CACHE: join(env.XDG_CACHE_HOME!, 'profiled') }
  if (step.endsWith('serve')) {
    const PORT = String(await freePort())
    const url = `http://127.0.0.1:${PORT}`
    const started = { ...cached, PORT }
    const server = await startProgram(
      process.execPath,
      [...args, 'serve'],
      started,
      url,
      '/api/health',
    )
    await server.stop()
  } else {
    const options = { cwd: folder, env: { ...process.env, ...cached }, stdio: 'ignore' } as const
    const child = spawn(process.execPath, [...args, step], options)
    await new Promise((end) => child.once('exit', end))
  }
  const [file] = globSync(join(profiles, '*.cpuprofile'))
  const profile = JSON.parse(readFileSync(file!, 'utf8')) as Profile
  rmSync(profiles, { recursive: true })
  return describeProfile(profile, home)
}

/** A part of a start, and the module on whose behalf it ran. */
interface Place {
  readonly part: string
  readonly module?: string
}

/** Two tables: the CPU time of each part of the start, and of the modules whose import takes longest. */
function describeProfile({ nodes, samples, timeDeltas }: Profile, home: string): string {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  )
  const ancestorsOf = (id: number | undefined): ProfileNode[] =>
    id === undefined ? [] : [byId.get(id)!, ...ancestorsOf(parents.get(id))]
  const places = new Map(nodes.map(({ id }) => [id, placeOf(ancestorsOf(id), home)]))
  const [parts, modules] = [new Map<string, number>(), new Map<string, number>()]
  const add = (sums: Map<string, number>, key: string, ms: number) =>
    sums.set(key, (sums.get(key) ?? 0) + ms)
  for (const [i, id] of samples.entries()) {
    const { part, module } = places.get(id)!
    if (part === IDLE) continue
    add(parts, part, timeDeltas[i]! / 1000)
    if (module) add(modules, module, timeDeltas[i]! / 1000)
  }
  const rows = (sums: ReadonlyMap<string, number>) =>
    [...sums].sort(([, a], [, b]) => b - a).map(([name, ms]) => [name, ms.toFixed(0)])
  return `${table([['part', 'ms'], ...rows(parts)])}\n\n${table([['module', 'ms'], ...rows(modules).slice(0, MOST_MODULES)])}`
}

/** `stack`: the frame that ran, then its callers. A module's own code runs in a function without a name. */
function placeOf(stack: readonly ProfileNode[], home: string): Place {
  const [top] = stack
  const { functionName, url } = top!.callFrame
  if (functionName.startsWith('(') && !url)
    return { part: functionName === '(program)' ? 'Node and V8: (program)' : functionName }
  const isFile = ({ callFrame }: ProfileNode) => /^(file:|\/)/.test(callFrame.url)
  const nearest = stack.findIndex(isFile)
  const loading = describeLoading(nearest < 0 ? stack : stack.slice(0, nearest))
  if (loading || nearest < 0) return { part: `Node: ${loading ?? 'else'}` }
  const importing = stack.find((node) => isFile(node) && isTopLevel(node.callFrame))
  const name = shorten((importing ?? stack[nearest]!).callFrame.url, home)
  return { part: `${importing ? 'import of' : 'after the imports:'} ${roomOf(name)}`, module: name }
}

const isTopLevel = ({ functionName, lineNumber }: ProfileNode['callFrame']) =>
  (functionName === '' || functionName === '(anonymous)') && lineNumber === 0

/** Which part of loading modules Node was busy with; undefined for none. */
function describeLoading(stack: readonly ProfileNode[]): string | undefined {
  const names = stack
    .map(({ callFrame }) => `${callFrame.functionName} ${callFrame.url}`)
    .join('\n')
  if (/stripTypeScript|amaro/.test(names)) return 'strip types'
  if (/compileSourceTextModule|wrapSafe|compileFunction/.test(names)) return 'compile'
  if (/modules\/esm\/(resolve|get_format)|package_json_reader/.test(names)) return 'resolve'
  if (/modules\/(esm|cjs)|link|instantiate/.test(names)) return 'load and link'
  return undefined
}

const shorten = (url: string, home: string) =>
  url
    .replace('file://', '')
    .replace(home, '')
    .replace(/.*\/node_modules\/((?:@[^/]+\/)?[^/]+).*/, 'library $1')

const roomOf = (name: string) =>
  name.startsWith('library ') ? 'libraries' : name.replace(/^\/?(src|dist)\//, '').split('/')[0]!
