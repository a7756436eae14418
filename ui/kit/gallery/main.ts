import { start } from '../src/index.ts';
import Gallery from './Gallery.svelte';

start(Gallery, { messages: {}, overwriteGetLocale: () => undefined });
