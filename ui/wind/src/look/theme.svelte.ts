export { currentTheme } from '@quartet/kit';
