import { STREAMS } from '../../http/metrics/group-requests.ts'
import { sendGatewayError } from '../../http/middleware/answer-errors.ts'
import type { Feature } from '../base/feature.ts'
import { DEVICE_ROUTES, DEVICE_TAG } from './device-routes.ts'
import { PAIRING_ROUTES } from './pairing-routes.ts'

export const DEVICE_API: Feature = {
  rows: [...DEVICE_ROUTES, ...PAIRING_ROUTES],
  api: {
    roots: ['/api/devices'],
    group: 'devices',
    groups: { 'POST /api/devices/claim': 'claim', 'GET /api/devices/events': STREAMS },
    errorForm: sendGatewayError,
    isOwn: true,
    tags: [{ name: DEVICE_TAG, description: 'For the program on a phone or beside a modem.' }],
  },
}
