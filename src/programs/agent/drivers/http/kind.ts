import { driverKind, type Say } from '../driver-kind.ts'
import { SETTINGS } from '../options.ts'
import { readSettings } from './carrier-account.ts'
import { httpDriver } from './driver.ts'
import { listenForCalls } from './listen.ts'
import { requestFor } from './sample-request.ts'

const FILE = 'http.json'

export const HTTP = driverKind({
  options: { settings: SETTINGS },
  platform: 'carrier',
  make({ settings }, stateFile) {
    const { carrier, port, host } = readSettings(settings || FILE, process.env)
    requestFor(carrier)
    if (port === 0) return httpDriver(carrier)
    return httpDriver(carrier, (events) =>
      listenForCalls(carrier, { host, port }, `${stateFile}.calls`, events),
    )
  },
  async check({ settings }, say: Say) {
    say(requestFor(readSettings(settings || FILE, process.env).carrier))
  },
})
