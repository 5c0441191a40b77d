import type { Reporter, TestModule } from 'vitest/node'

const COUNT = 10

/** What a file took in all, ms: imports, hooks and tests. */
function durationMs(file: TestModule): number {
  const { prepareDuration, setupDuration, collectDuration, duration } = file.diagnostic()
  return prepareDuration + setupDuration + collectDuration + duration
}

/** A reporter of Vitest: prints the ten slowest files with their seconds when all have run. */
export default class SlowestFiles implements Reporter {
  onTestRunEnd(files: readonly TestModule[]): void {
    const slowest = files
      .map((file) => ({
        name: `${file.project.name} ${file.relativeModuleId}`,
        ms: durationMs(file),
      }))
      .sort((a, b) => b.ms - a.ms)
      .slice(0, COUNT)
    const lines = slowest.map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`)
    console.log(`\nThe slowest files:\n${lines.join('\n')}`)
  }
}
