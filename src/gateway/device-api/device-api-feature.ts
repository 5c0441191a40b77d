import type { Feature } from '../base/feature.ts'
import { devicePaths } from './device-routes.openapi.ts'
import { deviceRoutes } from './device-routes.ts'

/** The API by which devices fetch texts and report what became of them. */
export const DEVICE_API: Feature = {
  routes: [['/api/devices', deviceRoutes]],
  changingGets: ['/api/devices/push-key'],
  rights: {
    'GET /api/devices/states': 'viewer',
    'POST /api/devices/pairing': 'admin',
  },
  paths: ({ schemaOf }) => devicePaths(schemaOf('devices')!),
}
