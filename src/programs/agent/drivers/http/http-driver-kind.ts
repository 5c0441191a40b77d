import { defineDriverKind, type Say } from '../driver-kind.ts'
import { SETTINGS_OPTION } from '../options.ts'
import { readCarrierSettings } from './carrier-account.ts'
import { makeHttpDriver } from './driver.ts'
import { listenForCalls } from './listen-for-calls.ts'
import { makeSampleRequest } from './sample-request.ts'

const FILE = 'http.json'

export const HTTP = defineDriverKind({
  options: { settings: SETTINGS_OPTION },
  platform: 'carrier',
  make({ settings }, stateFile) {
    const { carrier, port, host } = readCarrierSettings(settings || FILE, process.env)
    makeSampleRequest(carrier)
    if (port === 0) return makeHttpDriver(carrier)
    return makeHttpDriver(carrier, (events) =>
      listenForCalls(carrier, { host, port }, `${stateFile}.calls`, events),
    )
  },
  async check({ settings }, say: Say) {
    say(makeSampleRequest(readCarrierSettings(settings || FILE, process.env).carrier))
  },
})
