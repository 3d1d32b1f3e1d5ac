"""Stores schriftsatz.fodt as DOC with the password "geheim", through a listening LibreOffice."""

import os
import subprocess
import time

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException


def setting(name, value):
    return PropertyValue(Name=name, Value=value)


def connect():
    resolver = uno.getComponentContext().ServiceManager.createInstance("com.sun.star.bridge.UnoUrlResolver")
    for _ in range(60):
        try:
            return resolver.resolve("uno:socket,host=127.0.0.1,port=2002;urp;StarOffice.ComponentContext")
        except NoConnectException:
            time.sleep(0.5)
    raise TimeoutError("LibreOffice did not start")


office = subprocess.Popen(["soffice", "--headless", "--accept=socket,host=127.0.0.1,port=2002;urp;"])
context = connect()
desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
source = uno.systemPathToFileUrl(os.path.abspath("sources/schriftsatz.fodt"))
document = desktop.loadComponentFromURL(source, "_blank", 0, (setting("Hidden", True),))
target = uno.systemPathToFileUrl(os.path.abspath("verschluesselt.doc"))
document.storeToURL(target, (setting("FilterName", "MS Word 97"), setting("Password", "geheim")))
document.close(True)
desktop.terminate()
office.wait()
