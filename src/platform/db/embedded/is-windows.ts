export const IS_WINDOWS = process.platform === 'win32'
