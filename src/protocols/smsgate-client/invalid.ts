import { gatewayRefusal } from '../../sms/send/refusal.ts'

/** 400 for what cannot be honoured. `message` names the field and says what to do instead. */
export const invalid = (message: string) => gatewayRefusal('invalid_request', message)

/** 400 for a `deviceId` that is none of the user's devices. */
export const unknownDevice = () => invalid('deviceId is no device of yours')
