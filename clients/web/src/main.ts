import { mount } from "svelte";
import { browserTransport } from "./api/client";
import "./app.css";
import App from "./App.svelte";
import { Page } from "./page.svelte";

const target = document.getElementById("app");
const page = new Page((token) => browserTransport(location.origin, token), localStorage);
if (target) mount(App, { target, props: { page } });
