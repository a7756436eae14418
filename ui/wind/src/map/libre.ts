// Loaded separately to keep the first page small.
import 'maplibre-gl/dist/maplibre-gl.css';
import './libre.css';
import { setWorkerUrl } from 'maplibre-gl';
import worker from 'maplibre-gl/dist/maplibre-gl-worker.mjs?url';

// The Content-Security-Policy only allows our own script files, so the worker is one.
setWorkerUrl(new URL(worker, location.href).href);

export { AttributionControl, Map as LibreMap, NavigationControl } from 'maplibre-gl';
