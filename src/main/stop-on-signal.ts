import cluster from 'node:cluster'
import { runProgramCommand } from '../platform/api-errors.ts'
import { onStopSignal } from '../platform/tools/stop-signal.ts'
import { printLine } from './command-line.ts'

/** Stops the server and ends the process at SIGINT or SIGTERM. */
export function stopOnSignal(stop: () => Promise<void>): void {
  onStopSignal((signal) => {
    // with workers, the parent prints it
    if (!cluster.isWorker) printLine(`${signal}: finishing what runs`)
    endAfter(stop)
  })
}

/** Ends the process after `stop`. Prints its error if it fails. */
export function endAfter(stop: () => Promise<void>): void {
  void runProgramCommand(async () => {
    await stop()
    process.exit(0)
  })
}
