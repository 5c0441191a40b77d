import { STREAMS } from '../../http/metrics/traffic.ts'
import { gatewayForm } from '../../http/middleware/failure.ts'
import type { Feature } from '../base/feature.ts'
import { DEVICES, devicePaths } from './device-routes.openapi.ts'
import { deviceRoutes } from './device-routes.ts'

/** The API by which devices fetch texts and report what became of them. */
export const DEVICE_API: Feature = {
  routes: [['/api/devices', deviceRoutes]],
  api: {
    roots: ['/api/devices'],
    group: 'devices',
    groups: { 'POST /api/devices/claim': 'claim', 'GET /api/devices/events': STREAMS },
    errorForm: gatewayForm,
    isOwn: true,
    tags: [{ name: DEVICES, description: 'For the program on a phone or beside a modem.' }],
  },
  changingGets: ['/api/devices/push-key'],
  rights: {
    'GET /api/devices/states': 'viewer',
    'POST /api/devices/pairing': 'admin',
  },
  paths: ({ schemaOf }) => devicePaths(schemaOf('devices')!),
}
