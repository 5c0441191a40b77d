/** Where the SMSGate app is downloaded. */
export const APP_URL = 'https://github.com/capcom6/android-sms-gateway/releases/latest'
