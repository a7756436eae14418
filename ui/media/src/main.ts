import { start } from '@quartet/kit';
import App from './App.svelte';
import * as messages from './paraglide/messages.js';
import { overwriteGetLocale } from './paraglide/runtime.js';

start(App, { messages, overwriteGetLocale });
