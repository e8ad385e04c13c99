"""A page opened from disk in Chromium, with the network off, and everything it asked for or complained of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from selenium.common.exceptions import TimeoutException
from selenium.webdriver import ActionChains, Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait

# As root in a container there is no sandbox; the rest keeps Chromium itself from asking for anything.
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
LONGEST = 300  # seconds: axe looks at every element, on a machine that may be busy
LOOK = Path(__file__).with_name("look.js").read_text("utf-8")


def start(chromium: str, chromedriver: str, profile: Path) -> Chrome:
    options = ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(options=options, service=Service(chromedriver))
    driver.set_script_timeout(LONGEST)
    driver.command_executor.client_config.timeout = LONGEST + 30  # of the answer to whatever is asked
    driver.get("about:blank")  # the browser's own first page asks for this and that
    return driver


class Page:
    """The page at ``path``; what is found and done is what a reader sees and does."""

    def __init__(self, driver: Chrome, path: Path) -> None:
        self.driver = driver
        self.path = path
        self.address = path.resolve().as_uri()
        self.trouble()  # of whatever was open before

    def open(self, *, width: int = 1280, dark: bool = False, media: str = "", script: bool = True) -> Page:
        screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.cdp("Emulation.setDeviceMetricsOverride", **screen)
        self.cdp("Emulation.setScriptExecutionDisabled", value=not script)
        self.emulate(dark=dark, media=media)
        self.driver.get("about:blank")
        self.driver.set_network_conditions(offline=True, latency=0, throughput=0)
        self.driver.get(self.address)
        if script and not self.awake():
            # after a page without scripts Chromium may keep them off for one more
            self.driver.get(self.address)
            assert self.awake()
        return self

    def awake(self) -> bool:
        """Whether the page's script has done its work: it makes the buttons that copy."""
        try:
            WebDriverWait(self.driver, 5).until(lambda _: self.all(".copy"))
        except TimeoutException:
            return False
        return True

    def cdp(self, command: str, **parameters: Any) -> Any:
        return self.driver.execute_cdp_cmd(command, parameters)

    def emulate(self, *, dark: bool = False, media: str = "") -> None:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.cdp("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector: str) -> None:
        self.show(self.one(selector)).click()

    def show(self, element: WebElement) -> WebElement:
        """Bring it to the middle of the window, clear of the head of the page."""
        self.run("arguments[0].scrollIntoView({ block: 'center', behavior: 'instant' })", element)
        return element

    def hover(self, element: WebElement) -> None:
        self.show(element)
        # a page that scrolls puts its tip away, and learns of it a frame later
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))"
        )
        ActionChains(self.driver).move_to_element(element).perform()

    def look(self, what: str, *arguments: Any) -> Any:
        """What a function of look.js returns."""
        return self.run(f"{LOOK}\nreturn {what}(...arguments);", *arguments)

    @property
    def lang(self) -> str:
        return self.run("return document.documentElement.lang")

    @property
    def words(self) -> str:
        """Every word that can be seen; of closed parts the title alone."""
        self.settle()
        return self.run("return document.body.innerText")

    def settle(self) -> None:
        """Wait until the page has been laid out and has said what goes on sideways."""
        later = "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))"
        self.driver.execute_async_script(f"const done = arguments[0]; {later}")

    def speak(self, lang: str) -> Page:
        Select(self.show(self.one("#language"))).select_by_value(lang)
        return self

    def unfold(self) -> Page:
        self.run("for (const one of document.querySelectorAll('details')) one.open = true")
        return self

    def trouble(self) -> list[str]:
        """What was asked for, besides the page itself, and every line of the console, since the last time.

        Whatever the Content-Security-Policy refuses is in the console.
        """
        asked = []
        for entry in self.driver.get_log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                asked.append(event["params"]["request"]["url"])
            elif event["method"] == "Network.webSocketCreated":
                asked.append(event["params"]["url"])
        said = [f"{entry['level']}: {entry['message']}" for entry in self.driver.get_log("browser")]
        return [f"request: {url}" for url in asked if url not in (self.address, "about:blank")] + said
